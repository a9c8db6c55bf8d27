use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use http::{HeaderName, HeaderValue, Response, StatusCode};
use policy_core::{FailureKind, Mark, Millis};
use tokio::sync::{mpsc, oneshot};

use super::TestTime;
use crate::{
    time::{Rounding, Time},
    transport::{Attempt, Attempted, Failure, Transport},
};

/// A transport that answers as scripted, and keeps a record; clones share script and record.
///
/// ```
/// use refrain::core::{FailureKind, Method, Request, Sample};
/// use refrain::testing::{ScriptedEntropy, ScriptedTransport, TestTime};
/// use refrain::{Driver, Options};
/// # use refrain::{DirectEngine, core::{Policy, Rules}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let time = TestTime::default();
/// let server = ScriptedTransport::new(&time);
/// server.fail(FailureKind::Ambiguous);
/// server.respond(200, &[]);
/// let driver = Driver::new(engine, time, ScriptedEntropy::new(Sample::ZERO));
/// let result = driver.run(&Request::new(Method::Post), server.clone(), &Options::default()).await;
/// // A POST without a key is not repeated when nobody knows what became of it.
/// assert!(result.is_err_and(|ended| ended.maybe_applied));
/// assert_eq!((server.sends().len(), server.unused()), (1, 1));
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// An attempt for which the script has no answer left.
#[derive(Clone, Debug)]
pub struct ScriptedTransport {
    time: TestTime,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    script: Mutex<VecDeque<oneshot::Receiver<Script>>>,
    sends: Mutex<Vec<ScriptedSend>>,
    aborted: AtomicU32,
    sending: mpsc::UnboundedSender<u32>,
    sent: tokio::sync::Mutex<mpsc::UnboundedReceiver<u32>>,
}

/// One attempt that was made.
///
/// ```
/// use refrain::{core::Mark, testing::{ScriptedSend, ScriptedTransport}};
///
/// fn was_sent_once(server: &ScriptedTransport) {
///     assert_eq!(server.sends(), [ScriptedSend { attempt: 1, at: Mark::new(0), timeout: None }]);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptedSend {
    /// Its number.
    pub attempt: u32,
    /// When it began.
    pub at: Mark,
    /// The timeout that it was given.
    pub timeout: Option<Millis>,
}

/// What comes of one attempt.
///
/// ```
/// use refrain::{Attempted, Failure, core::FailureKind, testing::{Script, ScriptedError}};
/// let failure = Failure::new(FailureKind::Ambiguous, ScriptedError);
/// let gave_up: Script = Attempted { result: Err(failure), sends: 3, exhausted: true };
/// ```
pub type Script = Attempted<Response<String>, ScriptedError>;

/// The error of a scripted failure.
///
/// ```
/// use refrain::{Failure, Last, core::FailureKind, testing::ScriptedError};
/// let last = Last::<(), _>::Failure(Failure::new(FailureKind::DnsFailed, ScriptedError));
/// assert_eq!(last, Last::from(Err(Failure::new(FailureKind::DnsFailed, ScriptedError))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptedError;

impl fmt::Display for ScriptedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a failure, as the test wants it")
    }
}

impl std::error::Error for ScriptedError {}

impl ScriptedTransport {
    /// With an empty script; `time` tells when attempts are made.
    #[must_use]
    pub fn new(time: &TestTime) -> Self {
        let (sending, sent) = mpsc::unbounded_channel();
        let shared = Shared {
            script: Mutex::default(),
            sends: Mutex::default(),
            aborted: AtomicU32::new(0),
            sending,
            sent: tokio::sync::Mutex::new(sent),
        };
        Self { time: time.clone(), shared: Arc::new(shared) }
    }

    /// The next attempt is answered at once with this status, these fields, and its status as text for a body.
    ///
    /// # Panics
    /// A status outside 100–999, or a field that HTTP does not allow.
    pub fn respond(&self, status: u16, fields: &[(&str, &str)]) {
        self.push(Ok(response(status, fields)).into());
    }

    /// The next attempt fails at once.
    pub fn fail(&self, kind: FailureKind) {
        self.push(Err(Failure::new(kind, ScriptedError)).into());
    }

    /// The next attempt ends at once with `script`, for example with what a nested layer did.
    pub fn push(&self, script: Script) {
        self.later().end(script);
    }

    /// The next attempt hangs until it is told how to end; forever if the [`Later`] is dropped.
    pub fn later(&self) -> Later {
        let (end, script) = oneshot::channel();
        lock(&self.shared.script).push_back(script);
        Later(end)
    }

    /// Completes when an attempt has begun, and says its number. Each is told once, in order.
    pub async fn sent(&self) -> u32 {
        match self.shared.sent.lock().await.recv().await {
            Some(number) => number,
            None => std::future::pending().await,
        }
    }

    /// The attempts made so far.
    #[must_use]
    pub fn sends(&self) -> Vec<ScriptedSend> {
        lock(&self.shared.sends).clone()
    }

    /// How many attempts were dropped before they ended.
    #[must_use]
    pub fn aborted(&self) -> u32 {
        self.shared.aborted.load(Ordering::SeqCst)
    }

    /// Script entries that no attempt has used.
    #[must_use]
    pub fn unused(&self) -> usize {
        lock(&self.shared.script).len()
    }
}

impl Transport for ScriptedTransport {
    type Response = Response<String>;
    type Error = ScriptedError;

    async fn attempt(&mut self, attempt: Attempt) -> Script {
        let Attempt { number, timeout, .. } = attempt;
        lock(&self.shared.sends).push(ScriptedSend { attempt: number, at: self.time.mark(Rounding::Down), timeout });
        let next = lock(&self.shared.script).pop_front();
        let script = next.unwrap_or_else(|| panic!("attempt {number} is one more than the script has"));
        let mut unfinished = Unfinished { shared: &self.shared, over: false };
        let _ = self.shared.sending.send(number);
        match script.await {
            Ok(script) => {
                unfinished.over = true;
                script
            }
            Err(_) => std::future::pending().await,
        }
    }
}

/// How an attempt that hangs will end.
///
/// ```
/// use refrain::core::{Method, Request, Sample};
/// use refrain::testing::{ScriptedEntropy, ScriptedTransport, TestTime};
/// use refrain::{Driver, Options};
/// # use refrain::{DirectEngine, core::{Policy, Rules}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// # let (time, request, options) = (TestTime::default(), Request::new(Method::Get), Options::default());
/// # let server = ScriptedTransport::new(&time);
/// # let driver = Driver::new(engine, time, ScriptedEntropy::new(Sample::ONE));
/// let later = server.later();
/// let test = async {
///     assert_eq!(server.sent().await, 1, "the attempt is under way");
///     later.respond(200, &[]);
/// };
/// let (result, ()) = tokio::join!(driver.run(&request, server.clone(), &options), test);
/// assert_eq!(result?.attempts, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Later(oneshot::Sender<Script>);

impl Later {
    /// Ends it with a response.
    ///
    /// # Panics
    /// As [`ScriptedTransport::respond`] does.
    pub fn respond(self, status: u16, fields: &[(&str, &str)]) {
        self.end(Ok(response(status, fields)).into());
    }

    /// Ends it with a failure.
    pub fn fail(self, kind: FailureKind) {
        self.end(Err(Failure::new(kind, ScriptedError)).into());
    }

    /// Ends it; without effect if it was aborted.
    pub fn end(self, script: Script) {
        let _ = self.0.send(script);
    }
}

/// Counts an attempt that is dropped before it is over.
struct Unfinished<'a> {
    shared: &'a Shared,
    over: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.shared.aborted.fetch_add(1, Ordering::SeqCst);
        }
    }
}

fn response(status: u16, fields: &[(&str, &str)]) -> Response<String> {
    let mut response = Response::new(status.to_string());
    *response.status_mut() = StatusCode::from_u16(status).expect("a status from 100 to 999");
    for (name, value) in fields {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a field name");
        response.headers_mut().append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a field value"));
    }
    response
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
