//! However a request is ended from outside, in whatever state: at once, and no task, timer or connection is left behind.

mod bench;
mod loopback;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bench::{RULES, engine, soon};
use loopback::{Act, BUSY, Server};
use refrain::core::{BudgetRules, DeadlineScope, End, Mark, Millis, Network, Rules, Sample, Tokens, UnixMillis};
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::{
    CancellationToken, Client, DirectEngine, ManualConnectivity, Options, Reason, Rounding, SessionHandle, Time,
};
use tokio::runtime::Handle;

const RULES_WITH_DEADLINE: Rules = Rules {
    deadline: Some(Millis::new(2_500)),
    deadline_scope: DeadlineScope::Attempts,
    budget: Some(BudgetRules::aws_standard()),
    ..RULES
};

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    ReadingTheBody,
    Waiting,
    AwaitingTheNetwork,
}

impl State {
    const ALL: [Self; 4] = [Self::InFlight, Self::ReadingTheBody, Self::Waiting, Self::AwaitingTheNetwork];

    fn act(self) -> &'static [Act] {
        match self {
            Self::InFlight => &[Act::Hang],
            Self::ReadingTheBody => &[Act::SayThen("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello", "")],
            Self::Waiting | Self::AwaitingTheNetwork => &[BUSY],
        }
    }

    /// The wait that is entered last, in this order: an attempt's limit, the body's or that of a wait.
    fn last_wait(self) -> &'static [u64] {
        match self {
            Self::InFlight => &[2_500],
            Self::ReadingTheBody => &[2_500, 2_500],
            Self::Waiting => &[2_500, 1_000],
            Self::AwaitingTheNetwork => &[2_500],
        }
    }
}

/// What ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interruption {
    Drop,
    Cancel,
    Session,
    Deadline,
}

impl Interruption {
    const ALL: [Self; 4] = [Self::Drop, Self::Cancel, Self::Session, Self::Deadline];

    fn expected(self, state: State) -> End {
        match (self, state) {
            (Self::Session, _) => End::SessionChanged,
            (Self::Deadline, State::AwaitingTheNetwork) => End::Offline,
            (Self::Deadline, _) => End::Deadline,
            (Self::Drop | Self::Cancel, _) => End::Cancelled,
        }
    }
}

#[tokio::test]
async fn nothing_is_left_behind_in_any_state() {
    for state in State::ALL {
        for interruption in Interruption::ALL {
            let scene = Scene::enter(state).await;
            scene.end(interruption).await;
        }
    }
}

/// A request in a state, and everything that it could leave behind.
struct Scene {
    state: State,
    tasks: usize,
    time: Counting,
    server: Server,
    client: Client<DirectEngine, Counting, ScriptedEntropy>,
    cancel: CancellationToken,
    session: SessionHandle,
    running: tokio::task::JoinHandle<Option<Reason>>,
}

impl Scene {
    async fn enter(state: State) -> Self {
        let server = Server::start(state.act()).await;
        tokio::task::yield_now().await;
        let tasks = alive();
        let (time, cancel, session) =
            (Counting::default(), CancellationToken::new(), SessionHandle::new().expect("entropy"));
        let network = ManualConnectivity::default();
        if state == State::AwaitingTheNetwork {
            network.set(Network::Down);
        }
        let options = Options {
            cancel: Some(cancel.clone()),
            session: Some(session.clone()),
            network: Some(Arc::new(network)),
            ..Options::default()
        };
        let builder = Client::builder(engine(RULES_WITH_DEADLINE)).time(time.clone()).options(options);
        let http = reqwest::Client::builder().no_proxy();
        let client = builder.entropy(ScriptedEntropy::new(Sample::ONE)).http(http).build().expect("a client");
        let (sender, url) = (client.clone(), server.url.clone());
        let running =
            tokio::spawn(async move { sender.get(&url).send().await.err().and_then(|error| error.reason().cloned()) });
        for until in state.last_wait() {
            assert_eq!(soon(time.inner.wait_entered()).await, Mark::new(*until), "{state:?}");
        }
        if state == State::InFlight {
            soon(server.has_read(1)).await;
        }
        assert!(time.sleeping.load(Ordering::SeqCst) >= 1, "{state:?} has a timer");
        Self { state, tasks, time, server, client, cancel, session, running }
    }

    async fn end(self, interruption: Interruption) {
        let told = (self.state, interruption);
        match interruption {
            Interruption::Drop => self.running.abort(),
            Interruption::Cancel => self.cancel.cancel(),
            Interruption::Session => drop(self.session.raise()),
            Interruption::Deadline => self.time.inner.set_mark(Mark::new(2_500)),
        }
        let ended = soon(self.running).await;
        match interruption {
            Interruption::Drop => assert!(ended.expect_err("dropped").is_cancelled()),
            _ => {
                let reason = Reason::Policy(interruption.expected(self.state));
                assert_eq!(ended.expect("no panic"), Some(reason), "{told:?}");
            }
        }
        assert_eq!(self.time.sleeping.load(Ordering::SeqCst), 0, "no timer: {told:?}");
        assert_eq!(self.client.driver().budget().tokens(), Tokens::new(500), "the token is back: {told:?}");
        // The server sees the end of a connection only when it reads or writes.
        self.server.go_on();
        soon(self.server.all_closed()).await;
        soon(async {
            while alive() > self.tasks {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

fn alive() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

/// Counts the timers that run.
#[derive(Clone, Default)]
struct Counting {
    inner: TestTime,
    sleeping: Arc<AtomicUsize>,
}

impl Time for Counting {
    fn mark(&self, rounding: Rounding) -> Mark {
        self.inner.mark(rounding)
    }

    fn wall(&self) -> Option<UnixMillis> {
        self.inner.wall()
    }

    async fn sleep_until(&self, until: Mark) {
        struct Running<'a>(&'a AtomicUsize);
        impl Drop for Running<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        let _running = Running(&self.sleeping);
        self.inner.sleep_until(until).await;
    }
}
