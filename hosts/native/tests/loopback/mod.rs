//! A server on loopback that does with each connection what the test wants, down to a reset.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};

/// What is done with one connection, whose request is read whole unless it says otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Answers with this, and closes.
    Say(&'static str),
    /// Answers with the first text, with the second when the test says [`Server::go_on`], and closes.
    SayThen(&'static str, &'static str),
    /// Answers with this, and resets the connection when the test says [`Server::go_on`].
    SayThenReset(&'static str),
    /// Neither answers nor closes.
    Hang,
    /// Resets the connection.
    Reset,
    /// Resets the connection when something has come, without having read it.
    ResetUnread,
}

pub(crate) const OK: Act = Act::Say("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
pub(crate) const BUSY: Act = Act::Say("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy");

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Connections {
    pub(crate) opened: usize,
    pub(crate) closed: usize,
}

/// Takes one act a connection, in order, and the last one for all that follow.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    connections: watch::Sender<Connections>,
    read: watch::Sender<usize>,
    going_on: Arc<Notify>,
}

impl Server {
    pub(crate) async fn start(acts: &'static [Act]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let server = Self {
            url: format!("http://{}/", listener.local_addr().expect("an address")),
            requests: Arc::default(),
            connections: watch::Sender::default(),
            read: watch::Sender::default(),
            going_on: Arc::default(),
        };
        let serving = server.clone();
        tokio::spawn(async move {
            for at in 0.. {
                let (stream, _) = listener.accept().await.expect("a connection");
                serving.connections.send_modify(|connections| connections.opened += 1);
                let act = acts.get(at).or(acts.last()).copied().expect("an act");
                let serving = serving.clone();
                tokio::spawn(async move {
                    // A client that goes away is no fault of the server's.
                    let _ = serving.serve(stream, act).await;
                    serving.connections.send_modify(|connections| connections.closed += 1);
                });
            }
        });
        server
    }

    async fn serve(&self, mut stream: TcpStream, act: Act) -> std::io::Result<()> {
        if let Act::ResetUnread = act {
            stream.readable().await?;
            return stream.set_zero_linger();
        }
        let request = read_request(&mut stream).await?;
        self.requests.lock().expect("no panic").push(request);
        self.read.send_modify(|read| *read += 1);
        match act {
            Act::Say(text) => {
                stream.write_all(text.as_bytes()).await?;
                stream.shutdown().await?;
                // What is unread when a socket is dropped resets the connection.
                stream.read_to_end(&mut Vec::new()).await.map(drop)
            }
            Act::SayThen(first, second) => {
                stream.write_all(first.as_bytes()).await?;
                self.going_on.notified().await;
                stream.write_all(second.as_bytes()).await
            }
            Act::SayThenReset(text) => {
                stream.write_all(text.as_bytes()).await?;
                self.going_on.notified().await;
                stream.set_zero_linger()
            }
            Act::Hang => stream.read_u8().await.map(drop),
            Act::Reset | Act::ResetUnread => stream.set_zero_linger(),
        }
    }

    /// Goes on with one connection that stands still.
    pub(crate) fn go_on(&self) {
        self.going_on.notify_one();
    }

    /// The requests so far, as they came over the wire.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic").clone()
    }

    /// Completes when so many requests were read.
    pub(crate) async fn has_read(&self, requests: usize) {
        let mut read = self.read.subscribe();
        read.wait_for(|read| *read >= requests).await.expect("the server lives");
    }

    /// Completes when every connection that was opened is closed, and says how many there were.
    pub(crate) async fn all_closed(&self) -> usize {
        let mut connections = self.connections.subscribe();
        connections.wait_for(|now| now.opened == now.closed).await.expect("the server lives").opened
    }
}

/// Reads a head, and the body that it announces; what is no HTTP is taken as it comes.
pub(crate) async fn read_request(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        let read = stream.read_buf(&mut bytes).await?;
        let text = String::from_utf8_lossy(&bytes);
        let is_http = bytes.first().is_some_and(u8::is_ascii_alphabetic);
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| is_whole(head, body));
        if read == 0 || !is_http || whole {
            return Ok(text.into_owned());
        }
    }
}

fn is_whole(head: &str, body: &str) -> bool {
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    match length {
        Some(length) => body.len() >= length.parse().expect("a length"),
        None => !head.contains("transfer-encoding: chunked") || body.ends_with("0\r\n\r\n"),
    }
}
