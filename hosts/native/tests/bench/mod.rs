//! One driver with everything around it under control.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::{sync::Arc, time::Duration};

use refrain::core::{Backoff, End, HintRules, Mark, Method, Millis, Policy, Request, Rules, Sample, Thousandths, Wait};
use refrain::testing::{Recorder, ScriptedEntropy, ScriptedError, ScriptedTransport, TestTime};
use refrain::{CancellationToken, Hold};
use refrain::{
    DirectEngine, Driver, Ended, Engine, Last, ManualConnectivity, Options, RunResult, SessionHandle, TraceEvent,
};
use tokio::task::JoinHandle;

/// Backoff of 1 s, 2 s, 4 s; nothing is random; no deadline, no budget.
pub(crate) const RULES: Rules = Rules {
    transient: Backoff::doubling(Millis::new(1_000)),
    throttled: Backoff::doubling(Millis::new(1_000)),
    hint: HintRules { spread: Thousandths::new(0), ..HintRules::DEFAULT },
    deadline: None,
    budget: None,
    ..Rules::DEFAULT
};

pub(crate) const GET: Request = Request::new(Method::Get);
pub(crate) const POST: Request = Request::new(Method::Post);

pub(crate) type Result = RunResult<http::Response<String>, ScriptedError>;

pub(crate) struct Bench<E = DirectEngine> {
    pub(crate) time: TestTime,
    pub(crate) entropy: ScriptedEntropy,
    pub(crate) server: ScriptedTransport,
    pub(crate) cancel: CancellationToken,
    pub(crate) session: SessionHandle,
    pub(crate) network: ManualConnectivity,
    pub(crate) hold: Hold,
    pub(crate) seen: Recorder,
    pub(crate) options: Options,
    pub(crate) driver: Arc<Driver<E, TestTime, ScriptedEntropy>>,
}

pub(crate) fn engine(rules: Rules) -> DirectEngine {
    DirectEngine::new("test", "1.0.0", Policy::new(rules).expect("sound rules")).expect("a legal name")
}

impl Bench {
    pub(crate) fn new(rules: Rules) -> Self {
        Self::over(engine(rules))
    }
}

impl<E: Engine + 'static> Bench<E> {
    pub(crate) fn over(engine: E) -> Self {
        let time = TestTime::default();
        let entropy = ScriptedEntropy::new(Sample::ONE);
        let session = SessionHandle::new().expect("a system with entropy");
        let cancel = CancellationToken::new();
        let (network, hold, seen) = (ManualConnectivity::default(), Hold::default(), Recorder::default());
        let options = Options {
            cancel: Some(cancel.clone()),
            session: Some(session.clone()),
            network: Some(Arc::new(network.clone())),
            hold: Some(hold.clone()),
            observer: Some(Arc::new(seen.clone())),
            ..Options::default()
        };
        let driver = Arc::new(Driver::new(engine, time.clone(), entropy.clone()));
        let server = ScriptedTransport::new(&time);
        Self { time, entropy, server, cancel, session, network, hold, seen, options, driver }
    }

    /// Starts a request; it runs whenever the test awaits something.
    pub(crate) fn start(&self, request: Request) -> JoinHandle<Result> {
        let (driver, server, options) = (self.driver.clone(), self.server.clone(), self.options.clone());
        tokio::spawn(async move { driver.run(&request, server, &options).await })
    }

    /// Runs a request that needs nothing from the test.
    pub(crate) async fn run(&self, request: Request) -> Result {
        self.driver.run(&request, self.server.clone(), &self.options).await
    }

    /// Until when the next wait is to last.
    pub(crate) async fn wait_entered(&self) -> Mark {
        soon(self.time.wait_entered()).await
    }

    /// Waits until a wait is entered, and moves the time to its end.
    pub(crate) async fn sleep_through(&self) -> Mark {
        let until = self.wait_entered().await;
        self.time.set_mark(until);
        until
    }

    /// When each attempt was sent.
    pub(crate) fn sent_at(&self) -> Vec<u64> {
        self.server.sends().iter().map(|send| send.at.get()).collect()
    }

    /// The waits that were planned.
    pub(crate) fn waits(&self) -> Vec<Wait> {
        let planned = |trace: refrain::Trace| match trace.event {
            TraceEvent::WaitPlanned(wait) => Some(wait),
            _ => None,
        };
        self.seen.traces().into_iter().filter_map(planned).collect()
    }
}

/// What a request came to.
pub(crate) async fn join<T>(running: JoinHandle<T>) -> T {
    soon(running).await.expect("no panic")
}

/// Turns a test that would hang for ever into one that fails.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("an end before the test gives up")
}

/// How a request ended that brought no success.
pub(crate) fn ended<R: std::fmt::Debug, E: std::fmt::Debug>(result: RunResult<R, E>) -> Ended<R, E> {
    result.expect_err("no success")
}

pub(crate) fn end<R: std::fmt::Debug, E: std::fmt::Debug>(result: RunResult<R, E>) -> End {
    ended(result).end().expect("an end that the policy chose")
}

/// What is left of the last attempt, a response by its status.
pub(crate) fn last(ended: &Ended<http::Response<String>, ScriptedError>) -> Last<u16, ScriptedError> {
    match &ended.last {
        Last::Response(response) => Last::Response(response.status().as_u16()),
        Last::Failure(failure) => Last::Failure(failure.clone()),
        Last::Status(status) => Last::Status(*status),
        Last::Nothing => Last::Nothing,
    }
}
