//! A server on loopback that answers as a script says, and counts what it was asked.

use std::{
    collections::VecDeque,
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response, StatusCode, body::Incoming, header, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// One answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) retry_after: Option<&'static str>,
}

/// A running server; it ends with the runtime.
pub(super) struct Server {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    replies: VecDeque<Reply>,
    /// The idempotency key of each request.
    keys: Vec<Option<Vec<u8>>>,
}

impl Server {
    /// Listens on a free port.
    pub(super) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let server = Self { address: listener.local_addr()?, script: Arc::default() };
        tokio::spawn(serve(listener, server.script.clone()));
        Ok(server)
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers the next requests in this order, and forgets those before.
    pub(super) fn play(&self, replies: &[Reply]) {
        *lock(&self.script) = Script { replies: replies.iter().copied().collect(), keys: Vec::new() };
    }

    /// The idempotency key of each request since [`Server::play`].
    pub(super) fn keys(&self) -> Vec<Option<Vec<u8>>> {
        lock(&self.script).keys.clone()
    }
}

async fn serve(listener: TcpListener, script: Arc<Mutex<Script>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let script = script.clone();
        let service = service_fn(move |request| {
            let answer = answer(&script, &request);
            async move { Ok::<_, Infallible>(answer) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

fn answer(script: &Mutex<Script>, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let mut script = lock(script);
    script.keys.push(request.headers().get("idempotency-key").map(|key| key.as_bytes().to_vec()));
    // A request that the script does not foresee is told so by a status that the client does not retry.
    let reply = script.replies.pop_front().unwrap_or(Reply { status: 501, retry_after: None });
    let mut response = Response::new(Full::new(Bytes::from_static(b"hello\n")));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::NOT_IMPLEMENTED);
    if let Some(value) = reply.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static(value));
    }
    response
}

fn lock(script: &Mutex<Script>) -> MutexGuard<'_, Script> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}
