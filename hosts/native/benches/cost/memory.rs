//! Over services that answer without a network.

use std::{
    convert::Infallible,
    future::ready,
    sync::{Arc, atomic::AtomicU32},
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Extensions, Request, Response};
use http_body_util::{BodyExt, Full};
use refrain::{
    Attempt, Body, Driver, Failure, Options, SystemEntropy, SystemTime, core::Method, middleware::RetryMiddleware,
    tower::RetryLayer, transport,
};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use reqwest_retry::RetryTransientMiddleware;
use tokio::runtime::Runtime;
use tower::{ServiceBuilder, ServiceExt, retry, service_fn};

use crate::{
    contenders::{AtOnce, KINDS, Result, engine, runtime, until_success},
    measure::{Contender, Measures, Turns},
    server::Answers,
};

/// Compares all.
pub(crate) fn compare(turns: Turns, measures: &mut Measures) -> Result<()> {
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
