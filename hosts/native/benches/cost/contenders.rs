//! Who is compared with whom.

use std::{
    convert::Infallible,
    error::Error,
    future::{Future, ready},
    sync::{Arc, atomic::AtomicU32},
    time::SystemTime as WallClock,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Extensions, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::{client::legacy, rt::TokioExecutor};
use refrain::{
    Attempt, Body, Client, DirectEngine, Driver, Failure, Options, SystemEntropy, SystemTime,
    core::{Backoff, Method, Millis, Policy, Rules},
    middleware::RetryMiddleware,
    tower::RetryLayer,
    transport,
};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware, Next};
use reqwest_retry::{RetryDecision, RetryPolicy, RetryTransientMiddleware};
use tokio::runtime::{self, Runtime};
use tower::{ServiceBuilder, ServiceExt, retry, service_fn};

use crate::{
    measure::{Contender, Measures, Turns},
    server::{self, Answers},
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const KINDS: [(Answers, &str); 2] = [(Answers::Success, "success"), (Answers::BusyThenSuccess, "retried once")];

fn runtime() -> Result<Runtime> {
    Ok(runtime::Builder::new_current_thread().enable_all().build()?)
}

/// Retries at once, so that no wait is measured.
fn engine() -> Result<DirectEngine> {
    let rules = Rules { transient: Backoff::doubling(Millis::ZERO), ..Rules::DEFAULT };
    Ok(DirectEngine::new("cost", "1.0.0", Policy::new(rules)?)?)
}

/// Over services that answer without a network.
pub(crate) fn in_memory(turns: Turns, measures: &mut Measures) -> Result<()> {
    let runtime = runtime()?;
    for (answers, kind) in KINDS {
        let turns = turns.of(answers);
        services(&format!("in memory, {kind}"), answers, &runtime, turns, measures)?;
        middlewares(&format!("middleware in memory, {kind}"), answers, &runtime, turns, measures)?;
    }
    Ok(())
}

fn services(group: &str, answers: Answers, runtime: &Runtime, turns: Turns, measures: &mut Measures) -> Result<()> {
    let service = |answers: Answers| {
        let count = Arc::new(AtomicU32::new(0));
        service_fn(move |_: Request<Full<Bytes>>| ready(Ok::<_, Infallible>(answers.next(&count))))
    };
    let request = || Request::get("http://127.0.0.1/").body(Full::<Bytes>::default()).expect("a legal request");
    let bare = service(answers);
    let tower = ServiceBuilder::new().layer(retry::RetryLayer::new(AtOnce)).service(service(answers));
    let layered = ServiceBuilder::new().layer(RetryLayer::new(engine()?)).service(service(answers));
    let (driver, options) = (Driver::new(engine()?, SystemTime, SystemEntropy), Options::default());
    let count = AtomicU32::new(0);
    let contenders = [
        Contender::new("bare service", runtime, async |_| {
            until_success(async || bare.clone().oneshot(request()).await.map_or(0, |answer| answer.status().as_u16()))
                .await
        }),
        Contender::new("tower::retry", runtime, async |_| {
            tower.clone().oneshot(request()).await.map_or(0, |answer| answer.status().as_u16())
        }),
        Contender::new("refrain, driver alone", runtime, async |_| {
            let call = transport::from_fn(|_: Attempt| ready(Ok::<_, Failure<Infallible>>(answers.next(&count))));
            let run = driver.run(&refrain::core::Request::new(Method::Get), call, &options);
            run.await.map_or(0, |delivered| delivered.response.status().as_u16())
        }),
        Contender::new("refrain, tower layer", runtime, async |_| {
            let request = request().map(|_| Body::empty());
            layered.clone().oneshot(request).await.map_or(0, |answer| answer.status().as_u16())
        }),
    ];
    measures.compare(group, turns, &contenders);
    Ok(())
}

fn middlewares(group: &str, answers: Answers, runtime: &Runtime, turns: Turns, measures: &mut Measures) -> Result<()> {
    let answering = || Answering(answers, AtomicU32::new(0));
    let bare = ClientBuilder::new(reqwest::Client::new()).with(answering()).build();
    let peer = RetryTransientMiddleware::new_with_policy(AtOnce);
    let peer = ClientBuilder::new(reqwest::Client::new()).with(peer).with(answering()).build();
    let ours = RetryMiddleware::new(engine()?);
    let ours = ClientBuilder::new(reqwest::Client::new()).with(ours).with(answering()).build();
    const URL: &str = "http://127.0.0.1/";
    let contenders = [
        Contender::new("bare middleware", runtime, async |_| {
            until_success(async || bare.get(URL).send().await.map_or(0, |answer| answer.status().as_u16())).await
        }),
        Contender::new("reqwest-retry", runtime, async |_| {
            peer.get(URL).send().await.map_or(0, |answer| answer.status().as_u16())
        }),
        Contender::new("refrain, middleware", runtime, async |_| {
            ours.get(URL).send().await.map_or(0, |answer| answer.status().as_u16())
        }),
    ];
    measures.compare(group, turns, &contenders);
    Ok(())
}

/// Over HTTP/1 and a connection that is kept alive; each reads the body. The server runs on the thread of the clients: how
/// the threads of two processors wake each other scatters by more than what is looked for. What it costs is in each figure,
/// and in no difference. A bare client comes twice, and shows what a difference of nothing looks like.
pub(crate) fn over_loopback(turns: Turns, measures: &mut Measures) -> Result<()> {
    for (answers, kind) in KINDS {
        let turns = turns.of(answers);
        reqwests(&format!("reqwest over loopback, {kind}"), answers, turns, measures)?;
        hypers(&format!("hyper over loopback, {kind}"), answers, turns, measures)?;
    }
    Ok(())
}

fn reqwests(group: &str, answers: Answers, turns: Turns, measures: &mut Measures) -> Result<()> {
    let runtime = runtime()?;
    let url = format!("http://{}/", server::start_on(&runtime, answers)?);
    let clients = (0..CLIENTS).map(|_| Clients::new()).collect::<Result<Vec<_>>>()?;
    let of = |turn: usize| &clients[turn % CLIENTS];
    let bare = async |client: &reqwest::Client| {
        until_success(async || match client.get(&url).send().await {
            Ok(answer) => read(answer).await,
            Err(_) => 0,
        })
        .await
    };
    let layered = async |client: &ClientWithMiddleware| match client.get(&url).send().await {
        Ok(answer) => read(answer).await,
        Err(_) => 0,
    };
    let contenders = [
        Contender::new("bare reqwest", &runtime, async |turn| bare(&of(turn).bare).await),
        Contender::new("bare reqwest, again", &runtime, async |turn| bare(&of(turn).again).await),
        Contender::new("reqwest-retry", &runtime, async |turn| layered(&of(turn).peer).await),
        Contender::new("refrain, client", &runtime, async |turn| match of(turn).ours.get(&url).send().await {
            Ok(delivered) if delivered.response.body() == "hello" => delivered.response.status().as_u16(),
            _ => 0,
        }),
        Contender::new("refrain, middleware", &runtime, async |turn| layered(&of(turn).middleware).await),
    ];
    measures.compare(group, turns, &contenders);
    Ok(())
}

/// Where the memory and the sockets of a client happen to lie makes more of a difference than what is looked for, so each
/// contender has as many, and another one in each turn.
const CLIENTS: usize = 8;

/// One of each contender.
struct Clients {
    bare: reqwest::Client,
    again: reqwest::Client,
    peer: ClientWithMiddleware,
    ours: Client,
    middleware: ClientWithMiddleware,
}

impl Clients {
    fn new() -> Result<Self> {
        let bare = || reqwest::Client::builder().retry(reqwest::retry::never()).build();
        let peer = RetryTransientMiddleware::new_with_policy(AtOnce);
        Ok(Self {
            bare: bare()?,
            again: bare()?,
            peer: ClientBuilder::new(bare()?).with(peer).build(),
            ours: Client::new(engine()?)?,
            middleware: ClientBuilder::new(bare()?).with(RetryMiddleware::new(engine()?)).build(),
        })
    }
}

async fn read(answer: reqwest::Response) -> u16 {
    let status = answer.status().as_u16();
    match answer.bytes().await {
        Ok(body) if body == "hello" => status,
        _ => 0,
    }
}

fn hypers(group: &str, answers: Answers, turns: Turns, measures: &mut Measures) -> Result<()> {
    let runtime = runtime()?;
    let server = server::start_on(&runtime, answers)?;
    let request = Request::get(format!("http://{server}/")).body(Full::<Bytes>::default())?;
    let client = || {
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder.retry_canceled_requests(false).build_http::<Full<Bytes>>()
    };
    let bare = client();
    let tower = ServiceBuilder::new().layer(retry::RetryLayer::new(AtOnce)).service(client());
    let ours = ServiceBuilder::new().layer(RetryLayer::new(engine()?)).service(client());
    let contenders = [
        Contender::new("bare hyper-util", &runtime, async |_| {
            until_success(async || drained(bare.request(request.clone())).await).await
        }),
        Contender::new("tower::retry", &runtime, async |_| drained(tower.clone().oneshot(request.clone())).await),
        Contender::new("refrain, tower layer", &runtime, async |_| {
            drained(ours.clone().oneshot(request.clone().map(|_| Body::empty()))).await
        }),
    ];
    measures.compare(group, turns, &contenders);
    Ok(())
}

async fn drained<E>(answer: impl Future<Output = std::result::Result<Response<hyper::body::Incoming>, E>>) -> u16 {
    let Ok(answer) = answer.await else { return 0 };
    let status = answer.status().as_u16();
    match answer.into_body().collect().await.map(|body| body.to_bytes()) {
        Ok(body) if body == "hello" => status,
        _ => 0,
    }
}

/// What a caller without a retry layer writes: at most one send more.
async fn until_success(send: impl AsyncFn() -> u16) -> u16 {
    match send().await {
        503 => send().await,
        status => status,
    }
}

/// The policy of the others: what is busy is asked again at once.
#[derive(Clone)]
struct AtOnce;

impl<Q: Clone, R, E> retry::Policy<Q, Response<R>, E> for AtOnce {
    type Future = std::future::Ready<()>;

    fn retry(&mut self, _: &mut Q, result: &mut std::result::Result<Response<R>, E>) -> Option<std::future::Ready<()>> {
        matches!(result, Ok(answer) if answer.status().is_server_error()).then(|| ready(()))
    }

    fn clone_request(&mut self, request: &Q) -> Option<Q> {
        Some(request.clone())
    }
}

impl RetryPolicy for AtOnce {
    fn should_retry(&self, now: WallClock, past: u32) -> RetryDecision {
        match past {
            0..3 => RetryDecision::Retry { execute_after: now },
            _ => RetryDecision::DoNotRetry,
        }
    }
}

/// The last middleware of a chain: it answers, and nothing is sent.
struct Answering(Answers, AtomicU32);

#[async_trait]
impl Middleware for Answering {
    async fn handle(
        &self,
        _: reqwest::Request,
        _: &mut Extensions,
        _: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let (parts, body) = self.0.next(&self.1).into_parts();
        let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        Ok(Response::from_parts(parts, body).into())
    }
}
