use serde_json::json;

use crate::support::{Run, refrain};

const NOW: &str = "1994-11-06T08:46:17Z";

fn parse(engine: &str, args: &[&str]) -> Run {
    refrain(["parse", "--json", "--now", NOW, "--engine", engine].iter().chain(args))
}

#[test]
fn a_readable_value_is_explained_and_exits_with_0() {
    let run = parse("wasm", &["120"]);
    assert_eq!(
        (run.code, run.json()),
        (Some(0), json!({"kind": "delay-seconds", "seconds": 120, "remaining_ms": 120_000}))
    );

    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    let run = parse("wasm", &[date]);
    let meaning = json!({"kind": "at", "unix_seconds": 784_111_777, "date": date, "remaining_ms": 200_000});
    assert_eq!((run.code, run.json()), (Some(0), meaning));
}

#[test]
fn a_refused_value_has_a_reason_and_what_it_proves_and_exits_with_1() {
    let run = parse("wasm", &["10, 20"]);
    let proves = json!({"wait": "at-least", "seconds": 20, "unix_seconds": null});
    assert_eq!((run.code, &run.json()["reason"], &run.json()["proves"]), (Some(1), &json!("conflicting"), &proves));

    let run = refrain(["parse", "Sunday, 06-Nov-94 08:49:37 GMT", "--now", "none", "--json"]);
    assert_eq!((run.code, &run.json()["reason"]), (Some(1), &json!("no-wall-clock")));

    let run = refrain(["parse", "-5"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "refused, signed: expected digits without a sign\n"));
}

#[test]
fn bytes_that_are_no_text_are_given_in_hexadecimal() {
    assert_eq!(parse("wasm", &["--hex", "31 32 30"]).json()["seconds"], 120);
    assert_eq!(parse("wasm", &["--hex", "313230A0"]).json()["reason"], "malformed");
}

#[test]
fn both_engines_read_the_same() {
    let long = "1".repeat(2_000);
    for value in [
        "0",
        "120",
        "\t 7 ",
        "",
        " ",
        "-5",
        "+5",
        "1.5",
        "1e3",
        "0x10",
        "120s",
        "18446744073709551615",
        "18446744073709551616",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sat, 31 Dec 2016 23:59:60 GMT",
        "120, 120",
        "10, Sun, 06 Nov 1994 08:49:37 GMT",
        "٣",
        &long,
    ] {
        let (wasm, native) = (parse("wasm", &[value]), parse("native", &[value]));
        assert_eq!((wasm.code, wasm.json()), (native.code, native.json()), "{value}");
    }
}
