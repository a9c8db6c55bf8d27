//! What a server or a caller keeps secret never appears in a timeline or in an error.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
};

use crate::{
    server::{Reply, Server},
    support::{Run, refrain, scratch},
};

const MARK: &str = "s3cr3t";

fn assert_silent(run: &Run) {
    assert!(!run.stderr.is_empty() && !run.stderr.contains(MARK), "{}", run.stderr);
}

/// A request full of secrets.
fn fetch(port: u16, more: &[&str]) -> Run {
    let url = format!("http://user:s3cr3t-a@127.0.0.1:{port}/s3cr3t-path?token=s3cr3t-b#s3cr3t-c");
    let args = ["fetch", &url, "-H", "X-Api-Key: s3cr3t-d", "-d", "s3cr3t-e", "--idempotency-key", "s3cr3t-f"];
    refrain(args.iter().chain(more))
}

#[test]
fn no_secret_of_request_or_response_is_logged() {
    const SECRETIVE: &str = "retry-after: s3cr3t-g\r\nset-cookie: s3cr3t-h\r\n";
    let replies = [
        Reply::Status(503, SECRETIVE, "s3cr3t-i"),
        Reply::Status(429, SECRETIVE, "s3cr3t-i"),
        Reply::Status(200, SECRETIVE, "s3cr3t-i"),
    ];
    for format in [&["--key-honoured"][..], &["--key-honoured", "--json"]] {
        let server = Server::start(&replies);
        let run = fetch(server.port, format);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "s3cr3t-i"), "{}", run.stderr);
        assert_silent(&run);
        assert!(run.stderr.contains("malformed"), "{}", run.stderr);
        assert!(server.requests().iter().all(|request| request.contains("authorization: Basic ")));
    }
}

#[test]
fn no_secret_is_in_a_recording_but_a_hint_that_was_asked_for() {
    const SECRETIVE: &str = "retry-after: s3cr3t-g\r\nset-cookie: s3cr3t-h\r\n";
    for (flag, secrets) in [(None, 0), (Some("--record-hints"), 2)] {
        let replies = [Reply::Status(503, SECRETIVE, "s3cr3t-i"), Reply::Status(200, SECRETIVE, "s3cr3t-i")];
        let path = scratch(&format!("secrets-{secrets}.jsonl"));
        let _ = fs::remove_file(&path);
        let server = Server::start(&replies);
        let record = ["--key-honoured", "--record", path.to_str().unwrap()];
        let run = fetch(server.port, &record.into_iter().chain(flag).collect::<Vec<_>>());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_silent(&run);
        let recorded = fs::read_to_string(&path).unwrap();
        assert!(recorded.contains("malformed"), "{recorded}");
        assert_eq!(recorded.matches(MARK).count(), secrets, "{recorded}");
        assert_eq!(recorded.matches(r#""retry-after":"s3cr3t-g""#).count(), secrets, "{recorded}");
    }
}

/// Bad usage is refused, without a word of what was written.
fn assert_refused_silently(args: &[&str]) {
    let run = refrain(args);
    assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
    assert_silent(&run);
}

#[test]
fn a_secret_that_stands_in_the_wrong_place_is_not_repeated() {
    let url = "http://127.0.0.1:9/";
    for args in [
        // What a shell makes of a header without quotes.
        &["fetch", "-H", "Authorization:", "Bearer", "s3cr3t", url][..],
        &["fetch", url, "-H", "Authorization:", "s3cr3t"],
        &["fetch", url, "http://user:s3cr3t@127.0.0.1:9/?token=s3cr3t"],
        &["fetch", url, "--s3cr3t"],
        &["fetch", url, "--token=s3cr3t"],
        &["fetch", url, "-s3cr3t"],
        &["fetch", "s3cr3t:x-oauth@127.0.0.1/"],
        &["fetch", "http://127.0.0.1:s3cr3t/"],
        &["fetch", url, "-d", "@bob my s3cr3t body"],
        &["fetch", url, "-X", "POST -H s3cr3t"],
        // Without the subcommand, and beside another one.
        &["http://user:s3cr3t@127.0.0.1:9/"],
        &["help", "http://user:s3cr3t@127.0.0.1:9/"],
        &["fetsh", "http://user:s3cr3t@127.0.0.1:9/"],
    ] {
        assert_refused_silently(args);
    }
}

#[test]
fn no_flag_of_a_request_repeats_a_value_that_it_refuses() {
    for flag in [
        "--key-honoured",
        "--json",
        "--max-attempts",
        "--deadline",
        "--max-wait",
        "--attempt-timeout",
        "--engine",
        "--sha256",
    ] {
        assert_refused_silently(&["fetch", "http://127.0.0.1:9/", &format!("{flag}=s3cr3t")]);
    }
}

#[test]
fn no_secret_is_in_an_error() {
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr()).unwrap().port();
    let server = Server::start(&[Reply::CutOff("half")]);
    for (run, code) in [(fetch(closed, &[]), 4), (fetch(server.port, &[]), 6)] {
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert_silent(&run);
    }
    for args in [
        &["fetch", "s3cr3t"][..],
        &["fetch", "http://user:s3cr3t@"],
        &["fetch", "https://user:s3cr3t@127.0.0.1:0/?s3cr3t"],
        &["fetch", "http://127.0.0.1/", "-H", "s3cr3t"],
        &["fetch", "http://127.0.0.1/", "-H", "X-Api-Key: s3cr3t\u{7}"],
        &["fetch", "http://127.0.0.1/", "--idempotency-key", "s3cr3t\u{7}"],
        &["fetch", "http://127.0.0.1/", "--idempotency-key", "s3cr3t", "-H", "Idempotency-Key: s3cr3t"],
    ] {
        let run = refrain(args);
        let https_is_spoken = cfg!(feature = "tls") && args[1].starts_with("https");
        assert_eq!(run.code, Some(if https_is_spoken { 4 } else { 2 }), "{args:?}: {}", run.stderr);
        assert_silent(&run);
    }
}
