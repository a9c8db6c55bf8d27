use std::{fs, io::Write, process::Stdio};

use serde_json::json;

use crate::{
    server::{Reply, Server},
    support::{Run, bare_command, command, refrain, scratch},
};

const BUSY: Reply = Reply::Status(503, "retry-after: 0\r\n", "busy\n");
const OK: Reply = Reply::Status(200, "", "hello\n");

fn fetch(server: &Server, args: &[&str]) -> Run {
    let url = server.url();
    refrain(["fetch", &url].iter().chain(args))
}

#[test]
fn a_busy_server_is_asked_again_until_it_answers() {
    for engine in ["wasm", "native"] {
        let server = Server::start(&[BUSY, Reply::Status(429, "retry-after: 0\r\n", ""), OK]);
        let run = fetch(&server, &["--engine", engine, "--json"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "hello\n"), "{}", run.stderr);
        let events: Vec<_> = run.events().iter().map(|event| event["event"].clone()).collect();
        let round = ["sent", "answered", "wait-planned", "wait-over"];
        let expected = [&round[..], &round, &["sent", "answered", "ended"]].concat();
        assert_eq!(events, expected);
        assert_eq!(run.ended()["reason"], "success");
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn an_answer_that_is_no_success_is_printed_and_exits_with_1() {
    let server = Server::start(&[Reply::Status(404, "", "no such page\n")]);
    let run = fetch(&server, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "no such page\n"));
    assert!(run.stderr.contains("not-retryable"), "{}", run.stderr);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_redirect_is_an_answer_and_not_followed() {
    let server = Server::start(&[Reply::Status(302, "location: /elsewhere\r\n", ""), OK]);
    assert_eq!(fetch(&server, &[]).code, Some(1));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_post_is_repeated_only_with_a_key_that_the_server_honours() {
    for (args, code, sends) in [
        (&["-d", "order"][..], 1, 1),
        (&["-d", "order", "--idempotency-key", "order-4711"], 1, 1),
        (&["-d", "order", "--idempotency-key", "order-4711", "--key-honoured"], 0, 2),
    ] {
        let server = Server::start(&[BUSY, OK]);
        let run = fetch(&server, args);
        let requests = server.requests();
        assert_eq!((run.code, requests.len()), (Some(code), sends), "{}", run.stderr);
        assert_eq!(run.stderr.contains("--key-honoured"), sends == 1, "{}", run.stderr);
        for request in &requests {
            assert!(request.starts_with("POST / ") && request.ends_with("\r\n\r\norder"), "{request}");
            assert_eq!(request.contains("idempotency-key: order-4711\r\n"), args.len() > 2, "{request}");
        }
    }
}

/// A run under a document with these lines.
fn fetch_by(name: &str, lines: &str, server: &Server, args: &[&str]) -> Run {
    let document = scratch(name).with_extension("toml");
    fs::write(&document, format!("schema = 1\nname = \"tested\"\nversion = \"1.0.0\"\n{lines}")).unwrap();
    let mut command = bare_command();
    command.args(["fetch", &server.url(), "--engine", "native", "--policy"]).arg(document).args(args);
    command.output().unwrap().into()
}

#[test]
fn the_policy_names_the_field_and_the_form_of_the_key() {
    let server = Server::start(&[OK]);
    let lines = "replay.key_field = \"x-request-key\"\nreplay.key_form = \"quoted\"\n";
    let run = fetch_by("fetch-key", lines, &server, &["-d", "order", "--idempotency-key", "order-4711"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(server.requests()[0].contains("x-request-key: \"order-4711\"\r\n"), "{:?}", server.requests());
}

#[test]
fn a_policy_without_a_key_field_takes_no_key() {
    let server = Server::start(&[OK]);
    let run = fetch_by("fetch-no-key", "replay.key_field = \"none\"\n", &server, &["--idempotency-key", "a"]);
    assert_eq!((run.code, server.requests().len()), (Some(2), 0));
    assert!(run.stderr.contains("replay.key_field"), "{}", run.stderr);
}

#[test]
fn a_policy_that_requires_a_session_is_refused_where_there_is_none() {
    let server = Server::start(&[OK]);
    let run = fetch_by("fetch-session", "session.required = true\n", &server, &[]);
    assert_eq!((run.code, server.requests().len()), (Some(2), 0));
    assert!(run.stderr.contains("session.required"), "{}", run.stderr);
}

#[test]
fn a_hint_longer_than_the_longest_wait_is_deferred_whole() {
    let server = Server::start(&[Reply::Status(503, "retry-after: 86400\r\n", "")]);
    let run = fetch(&server, &["--json"]);
    assert_eq!(run.code, Some(3));
    let ended = run.ended();
    assert_eq!((&ended["bound"], &ended["resume"]["delay_ms"]), (&json!("max-wait"), &json!(86_400_000)));
    assert!(ended["resume"]["not_before_unix_ms"].as_u64().is_some_and(|moment| moment > 1_700_000_000_000));
}

#[test]
fn attempts_and_deadline_that_are_used_up_exit_with_4() {
    let server = Server::start(&[BUSY; 9]);
    let run = fetch(&server, &["--json"]);
    assert_eq!((run.code, run.ended()["reason"].as_str()), (Some(4), Some("attempts-used")));
    assert_eq!((server.requests().len(), run.stdout.as_str()), (4, "busy\n"));

    let server = Server::start(&[Reply::Status(503, "retry-after: 5\r\n", ""), OK]);
    let run = fetch(&server, &["--json", "--deadline", "2s"]);
    assert_eq!((run.code, run.ended()["reason"].as_str()), (Some(4), Some("deadline")));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn limits_tighten_the_policy_and_never_loosen_it() {
    for (limit, sends) in [("2", 2), ("100", 4)] {
        let server = Server::start(&[BUSY; 9]);
        assert_eq!(fetch(&server, &["--max-attempts", limit]).code, Some(4));
        assert_eq!(server.requests().len(), sends);
    }
    for (limit, code) in [("4s", 3), ("90d", 3)] {
        let server = Server::start(&[Reply::Status(503, "retry-after: 100\r\n", ""), OK]);
        assert_eq!(fetch(&server, &["--max-wait", limit]).code, Some(code));
    }
}

#[test]
fn an_attempt_that_takes_too_long_is_given_up() {
    let server = Server::start(&[Reply::Silence]);
    let run = fetch(&server, &["--json", "--attempt-timeout", "20ms", "--max-attempts", "1"]);
    let failed = &run.events()[1];
    assert_eq!((&failed["kind"], &failed["timed_out"]), (&json!("ambiguous"), &json!(true)), "{}", run.stderr);
    let ended = run.ended();
    assert_eq!((run.code, &ended["reason"], &ended["maybe_applied"]), (Some(4), &json!("attempts-used"), &json!(true)));
}

#[test]
fn a_deadline_ends_the_wait_for_a_server_that_never_answers() {
    let server = Server::start(&[Reply::Silence]);
    let run = fetch(&server, &["--deadline", "20ms"]);
    assert_eq!((run.code, server.requests().len()), (Some(4), 1), "{}", run.stderr);
}

#[test]
fn a_connection_that_is_closed_without_an_answer_counts_as_ambiguous() {
    let server = Server::start(&[Reply::Close, OK]);
    let run = fetch(&server, &["--json"]);
    assert_eq!((run.code, run.events()[1]["kind"].as_str()), (Some(0), Some("ambiguous")), "{}", run.stderr);

    let server = Server::start(&[Reply::Close, OK]);
    let run = fetch(&server, &["-X", "PATCH"]);
    assert_eq!((run.code, server.requests().len()), (Some(1), 1));
    assert!(run.stderr.contains("may have been applied"), "{}", run.stderr);
}

#[test]
fn a_body_comes_from_a_file_or_from_stdin_and_goes_out_again_whole() {
    let path = scratch("body.txt");
    fs::write(&path, "from a file").unwrap();
    let server = Server::start(&[BUSY, OK]);
    assert_eq!(fetch(&server, &["-X", "PUT", "-d", &format!("@{}", path.display())]).code, Some(0));
    assert!(server.requests().iter().all(|request| request.ends_with("\r\n\r\nfrom a file")));
    assert_eq!(server.requests().len(), 2);

    let server = Server::start(&[BUSY, OK]);
    let mut child = command()
        .args(["fetch", &server.url(), "-X", "PUT", "-d", "-", "-H", "Content-Type: text/plain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"from stdin").unwrap();
    assert!(child.wait().unwrap().success());
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.ends_with("\r\n\r\nfrom stdin")), "{requests:?}");
    assert!(requests.iter().all(|request| request.contains("content-type: text/plain\r\n")), "{requests:?}");
    assert_eq!(requests.len(), 2);
}

#[test]
fn an_output_file_is_written_whole_or_not_at_all() {
    let folder = scratch("output");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("report.txt");
    let _ = fs::remove_file(&path);
    let names = || -> Vec<_> { fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect() };
    let run = |reply| {
        let server = Server::start(&[reply]);
        fetch(&server, &["-o", path.to_str().unwrap()])
    };

    let cut = run(Reply::CutOff("half of it"));
    assert_eq!((cut.code, names().len()), (Some(6), 0), "{}", cut.stderr);
    assert!(cut.stderr.contains("the body broke off after 10 bytes"), "{}", cut.stderr);

    let whole = run(OK);
    assert_eq!((whole.code, whole.stdout.as_str()), (Some(0), ""));
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names().len()), ("hello\n", 1));

    let missing = run(Reply::Status(404, "", "no such page"));
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(1), ""));
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names().len()), ("hello\n", 1));
}
