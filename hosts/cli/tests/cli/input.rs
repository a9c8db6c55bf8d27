//! Bad input is refused before anything happens, by an error that names it.

use std::{fs, process::Stdio};

use crate::support::{bare_command, component, refrain, scratch};

#[test]
fn bad_input_exits_with_2_and_names_the_flag_and_what_was_expected() {
    let url = "http://127.0.0.1:9/";
    for (args, names) in [
        (&["decide"][..], &["--status", "--failure"][..]),
        (&["decide", "--status", "600"], &["--status", "600"]),
        (&["decide", "--status", "503", "--failure", "ambiguous"], &["--status", "--failure"]),
        (&["decide", "--failure", "bogus"], &["--failure", "bogus", "ambiguous"]),
        (&["decide", "--status", "503", "--sample", "1.000000001"], &["--sample", "1.000000001"]),
        (&["decide", "--status", "503", "--sample", "nan"], &["--sample", "nan"]),
        (&["decide", "--status", "503", "--sample", "-0.5"], &["--sample", "-0.5"]),
        (&["decide", "--status", "503", "--sample", "inf"], &["--sample", "inf"]),
        (&["decide", "--status", "503", "--retry-index", "-1"], &["--retry-index", "-1"]),
        (&["decide", "--status", "503", "--tokens", "4294968"], &["--tokens", "4294968"]),
        (
            &["decide", "--status", "503", "--elapsed", "9007199254740992ms"],
            &["--elapsed", "at most 9007199254740991 ms"],
        ),
        (&["decide", "--status", "503", "--now", "yesterday"], &["--now", "yesterday"]),
        (&["parse"], &["<VALUE>"]),
        (&["parse", "--hex", "3"], &["--hex", "`3`"]),
        (&["parse", "5", "--now", "1969-12-31T23:59:59Z"], &["--now", "1969-12-31T23:59:59Z"]),
        (&["fetch", url, "--deadline", "5"], &["--deadline", "30s"]),
        (&["fetch", url, "--max-wait", "-1s"], &["--max-wait", "30s"]),
        (&["fetch", url, "--max-attempts", "0"], &["--max-attempts", "at least 1"]),
        (&["fetch", url, "--max-attempts", "+5"], &["--max-attempts", "at least 1"]),
        (&["fetch", url, "--key-honoured"], &["--idempotency-key"]),
        (&["fetch", url, "-X", "G T"], &["--method", "`PUT`"]),
        (&["fetch", url, "-d", "@no/such/file"], &["--data", "No such file"]),
        (&["fetch", url, "-o", "no/such/folder/file"], &["--output", "no/such/folder/file"]),
        (&["fetch", "ftp://127.0.0.1/"], &["<URL>", "`http://`"]),
        (&["fetch", url, "--header"], &["--header", "none was supplied"]),
        (&["fetch", url, "--heeder", "A: b"], &["'--header'", "quote"]),
        (&["fetch", url, url], &["unexpected argument", "quote", "<URL>"]),
        (&["fetch", url, "--key-honoured=yes"], &["--key-honoured"]),
        (&["fetch", url, "--engine", "magic"], &["--engine", "wasm, native"]),
        (&["fetsh", url], &["'fetch'"]),
        (&["demo", "--engine", "magic"], &["--engine", "magic", "native"]),
        (&["demo", "--sha256", "abc"], &["--sha256", "abc", "64"]),
    ] {
        let run = refrain(args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}: {}", run.stderr);
        for name in names {
            assert!(run.stderr.contains(name), "{args:?}: no {name} in {}", run.stderr);
        }
    }
}

#[test]
fn a_component_that_cannot_be_read_exits_with_2() {
    let output = bare_command().args(["parse", "5", "--policy", "no/such.wasm"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("`no/such.wasm`"), "{stderr}");
}

#[test]
fn a_component_that_is_refused_exits_with_5_for_both_engines() {
    let garbage = scratch("garbage.wasm");
    fs::write(&garbage, "no component").unwrap();
    let zeros = "0".repeat(64);
    for engine in ["wasm", "native"] {
        let run = |args: &[&str]| bare_command().args(["parse", "5", "--engine", engine]).args(args).output().unwrap();
        let refused = run(&["--policy", garbage.to_str().unwrap()]);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(5), 0));
        let another = run(&["--policy", component().to_str().unwrap(), "--sha256", &zeros]);
        assert_eq!((another.status.code(), another.stdout.len()), (Some(5), 0));
        assert!(String::from_utf8_lossy(&another.stderr).contains(&zeros));
    }
}

#[test]
fn without_a_component_the_native_engine_decides_and_the_other_says_how_to_get_one() {
    let parse =
        |engine| bare_command().args(["parse", "5", "--engine", engine]).stdout(Stdio::null()).output().unwrap();
    assert_eq!(parse("native").status.code(), Some(0));
    let version = bare_command().arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let wasm = parse("wasm");
    if option_env!("REFRAIN_COMPONENT").is_some() {
        assert!(version.contains("sha256"), "{version}");
        assert_eq!(wasm.status.code(), Some(0));
    } else {
        assert!(version.contains("no component embedded"), "{version}");
        assert_eq!(wasm.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&wasm.stderr).contains("`cargo xtask demo`"));
    }
}
