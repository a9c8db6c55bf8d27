//! Ctrl-C, in every state that a request can be in.

use std::{
    fs,
    io::{self, BufRead, BufReader, ErrorKind, PipeWriter, Read, Write},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    process::{Pid, Signal, kill_process},
};

use crate::{
    server::{Reply, Server},
    support::{command, scratch},
};

fn start(server: &Server, json: bool) -> Child {
    let mut command = command();
    command.args(["fetch", &server.url()]).stdout(Stdio::piped()).stderr(Stdio::piped());
    if json {
        command.arg("--json");
    }
    command.spawn().expect("the binary runs")
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).expect("the child is alive");
}

/// Reads stderr until a line has `text` in it.
fn read_until(stderr: &mut impl BufRead, text: &str) {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the child ended before a line with `{text}`");
    }
}

/// Interrupts the child when it has printed `text`; its exit code, and what came on stderr after that.
fn interrupted_at(server: &Server, json: bool, text: &str) -> (Option<i32>, String) {
    let mut child = start(server, json);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    read_until(&mut stderr, text);
    interrupt(&child);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    (child.wait().unwrap().code(), rest)
}

#[test]
fn ctrl_c_in_the_middle_of_a_wait_cancels_and_says_so() {
    let server = Server::start(&[Reply::Status(503, "retry-after: 50\r\n", "")]);
    let (code, rest) = interrupted_at(&server, false, "wait 50 s");
    assert_eq!(code, Some(130), "{rest}");
    for text in ["Ctrl-C: the request is cancelled", "broken off after", "cancelled after 1 attempt"] {
        assert!(rest.contains(text), "no `{text}` in {rest}");
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn ctrl_c_while_an_attempt_is_in_flight_aborts_it() {
    let server = Server::start(&[Reply::Silence]);
    let (code, rest) = interrupted_at(&server, true, r#""event":"sent""#);
    assert_eq!(code, Some(130), "{rest}");
    assert!(rest.contains(r#""reason":"cancelled""#) && rest.contains(r#""maybe_applied":true"#), "{rest}");
}

#[test]
fn ctrl_c_while_the_body_arrives_cancels() {
    let server = Server::start(&[Reply::Unfinished("the first part")]);
    let mut child = start(&server, true);
    let mut first = [0; 14];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"the first part");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_second_ctrl_c_ends_a_process_that_is_stuck_and_leaves_no_file() {
    const LONG: Duration = Duration::from_secs(60);
    let folder = scratch("interrupted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let files = || fs::read_dir(&folder).unwrap().count();
    let server = Server::start(&[Reply::Unfinished("the first part")]);
    let (stderr, full) = io::pipe().unwrap();
    let mut child = command()
        .args(["fetch", &server.url(), "--json", "-o"])
        .arg(folder.join("report.txt"))
        .stderr(full.try_clone().unwrap())
        .spawn()
        .unwrap();
    read_until(&mut BufReader::new(&stderr), r#""event":"ended""#);
    assert_eq!(files(), 1);

    // The first Ctrl-C cannot be remarked on any more.
    fill(full);
    let begun = Instant::now();
    let status = loop {
        // Signals that come fast are heard as one, so more than two may be needed.
        interrupt(&child);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < LONG, "the child does not hear the second Ctrl-C");
        thread::yield_now();
    };
    assert_eq!((status.code(), files()), (Some(130), 0));
}

/// Writes until there is no room, and keeps the pipe as it was otherwise.
fn fill(mut pipe: PipeWriter) {
    let flags = fcntl_getfl(&pipe).unwrap();
    fcntl_setfl(&pipe, flags | OFlags::NONBLOCK).unwrap();
    let full = loop {
        if let Err(error) = pipe.write(b"x") {
            break error;
        }
    };
    assert_eq!(full.kind(), ErrorKind::WouldBlock);
    fcntl_setfl(&pipe, flags).unwrap();
}
