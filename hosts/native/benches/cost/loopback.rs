//! Over HTTP/1 on loopback.

use std::future::Future;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::{client::legacy, rt::TokioExecutor};
use refrain::{Body, Client, middleware::RetryMiddleware, tower::RetryLayer};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::RetryTransientMiddleware;
use tower::{ServiceBuilder, ServiceExt, retry};

use crate::{
    contenders::{AtOnce, KINDS, Result, engine, runtime, until_success},
    measure::{Contender, Measures, Turns},
    server::{self, Answers},
};

/// Compares all, over connections that are kept alive; each reads the body. The server runs on the thread of the clients: how
/// the threads of two processors wake each other scatters by more than what is looked for. What it costs is in each figure,
/// and in no difference. A bare client comes twice, and shows what a difference of nothing looks like.
pub(crate) fn compare(turns: Turns, measures: &mut Measures) -> Result<()> {
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
const CLIENTS: usize = 16;

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
