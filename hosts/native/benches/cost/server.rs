//! A server on loopback.

use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use bytes::Bytes;
use http::{Response, StatusCode, header::RETRY_AFTER};
use http_body_util::Full;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, runtime::Runtime};

/// The answers of a server: one that succeeds, or one that is too busy for every first of two requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    Success,
    BusyThenSuccess,
}

impl Answers {
    /// The next answer; `count` counts those before.
    pub(crate) fn next(self, count: &AtomicU32) -> Response<Full<Bytes>> {
        let is_first = count.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let mut response = Response::new(Full::new(Bytes::from_static(b"hello")));
        if self == Self::BusyThenSuccess && is_first {
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            response.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("0"));
        }
        response
    }
}

/// Serves on this runtime, as long as it runs.
pub(crate) fn start_on(runtime: &Runtime, answers: Answers) -> std::io::Result<SocketAddr> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    runtime.spawn(serve(listener, answers));
    Ok(address)
}

async fn serve(listener: std::net::TcpListener, answers: Answers) {
    let listener = TcpListener::from_std(listener).expect("a listener within a runtime");
    let count = Arc::new(AtomicU32::new(0));
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let count = count.clone();
        let service = service_fn(move |_| {
            let response = answers.next(&count);
            async move { Ok::<_, Infallible>(response) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
