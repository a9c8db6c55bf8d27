//! A server on loopback that answers as a script says.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// One answer.
#[derive(Clone, Copy)]
pub(crate) enum Reply {
    /// Status, header lines each with its line end, and body.
    Status(u16, &'static str, &'static str),
    /// The head of a success and some of its body; then the connection is closed.
    CutOff(&'static str),
    /// The head of a success and some of its body; then nothing more.
    Unfinished(&'static str),
    /// Nothing, while the client waits.
    Silence,
    /// The connection is closed without an answer.
    Close,
}

/// A server that runs until the test process ends.
pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers one request per reply, in order; what comes after that gets a 501.
    pub(crate) fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, replies) = (requests.clone(), replies.to_vec());
        thread::spawn(move || {
            let mut open = Vec::new();
            let mut replies = replies.into_iter();
            for stream in listener.incoming().map_while(Result::ok) {
                let request = read(&stream);
                seen.lock().expect("no test panics with the lock").push(request);
                let reply = replies.next().unwrap_or(Reply::Status(501, "", ""));
                open.extend(answer(stream, reply));
            }
        });
        Self { port, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Head and body of each request so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no test panics with the lock").clone()
    }
}

fn read(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut request, mut length) = (String::new(), 0);
    loop {
        let begun = request.len();
        let read = reader.read_line(&mut request).unwrap_or(0);
        let line = request[begun..].to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("the client sends a number");
        }
        if read == 0 || line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the body is as long as the client says");
    request + &String::from_utf8(body).expect("the tests send text")
}

/// Answers; the stream, if it is to stay open.
fn answer(mut stream: TcpStream, reply: Reply) -> Option<TcpStream> {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n";
    let (bytes, stays) = match reply {
        Reply::Status(status, headers, body) => {
            let length = body.len();
            let head =
                format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n");
            (head + body, false)
        }
        Reply::CutOff(body) => (format!("{head}{body}"), false),
        Reply::Unfinished(body) => (format!("{head}{body}"), true),
        Reply::Silence => (String::new(), true),
        Reply::Close => (String::new(), false),
    };
    // A client that is gone already is no fault of the server's.
    let _ = stream.write_all(bytes.as_bytes());
    stays.then_some(stream)
}
