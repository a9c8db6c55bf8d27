//! The loop that carries out what the policy commands: once, over any engine, time, entropy and transport.
//!
//! It holds no retry rule. All that may have changed outside is read right before each call into the engine, so an early
//! or a needless wake is harmless, and nothing has to be checked again after a wait.

use policy_core::{Policy, Request, Session};

use crate::{
    budget::RetryBudget,
    engine::Engine,
    entropy::Entropy,
    fields::FieldNames,
    options::Options,
    outcome::{Delivered, Ended, Last},
    run::{Run, Task},
    time::Time,
    transport::Transport,
};

/// Runs logical requests under one policy.
///
/// ```
/// use refrain::core::{Method, Policy, Request, Rules, Sample};
/// use refrain::testing::{ScriptedEntropy, ScriptedTransport, TestTime};
/// use refrain::{DirectEngine, Driver, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let time = TestTime::default();
/// let server = ScriptedTransport::new(&time);
/// server.respond(503, &[]);
/// server.respond(200, &[]);
/// // The jitter of the default policy begins at 0, and so does this sample: nothing is waited.
/// let driver = Driver::new(engine, time, ScriptedEntropy::new(Sample::ZERO));
/// let delivered = driver.run(&Request::new(Method::Get), server, &Options::default()).await?;
/// assert_eq!(delivered.attempts, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Driver<E, T, X> {
    engine: E,
    time: T,
    entropy: X,
    budget: RetryBudget,
    policy: Option<Box<Policy>>,
    max_attempts: Option<u32>,
    fields: FieldNames,
}

/// What the driver returns: a success, or how the request ended without one.
///
/// ```
/// use refrain::{Ended, RunResult};
///
/// /// Where a 404 is an answer too.
/// fn answer<R, E>(result: RunResult<R, E>) -> Option<R> {
///     result.or_else(Ended::into_response).ok().map(|delivered| delivered.response)
/// }
/// ```
pub type RunResult<R, E> = Result<Delivered<R>, Ended<R, E>>;

impl<E: Engine, T: Time, X: Entropy> Driver<E, T, X> {
    /// A driver with a full retry budget of its own.
    #[must_use]
    pub fn new(engine: E, time: T, entropy: X) -> Self {
        let budget = RetryBudget::for_policy(engine.description());
        let policy = engine.description().policy.as_slice().try_into().ok();
        let policy = policy.and_then(|bytes| Policy::from_bytes(bytes).ok()).map(Box::new);
        let max_attempts = policy.as_ref().map(|policy| policy.rules().max_attempts);
        let fields = FieldNames::new(&engine.description().fields);
        Self { engine, time, entropy, budget, policy, max_attempts, fields }
    }

    /// What decides.
    #[must_use]
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// What measures and waits; the marks in results and traces are its.
    #[must_use]
    pub fn time(&self) -> &T {
        &self.time
    }

    /// The policy as the engine describes it; `None` for one of another format.
    pub(crate) fn policy(&self) -> Option<&Policy> {
        self.policy.as_deref()
    }

    pub(crate) fn fields(&self) -> &FieldNames {
        &self.fields
    }

    pub(crate) fn max_attempts(&self, request: &Request) -> Option<u32> {
        let max = self.max_attempts?;
        Some(request.limits.max_attempts.map_or(max, |limit| limit.min(max)))
    }

    pub(crate) fn entropy(&self) -> &X {
        &self.entropy
    }

    /// The tokens of all requests that bring no budget of their own.
    #[must_use]
    pub fn budget(&self) -> &RetryBudget {
        &self.budget
    }

    /// Runs one logical request to its end. `request` is what the policy may know about it; `transport` sends it.
    ///
    /// Dropping the future ends the request: the attempt in flight is aborted, the token of a retry that was not sent goes
    /// back, and nothing is left behind. A cancel, and a session that changes, end it at once and are checked before each
    /// send and before the response is delivered; between that check and the wire a race remains, and what has reached the
    /// server is not undone. The body is the caller's to read: ask [`Delivered::is_current`] afterwards.
    ///
    /// The request belongs to the session of this call, whenever the future is polled first.
    ///
    /// ```
    /// # use refrain::core::{Method, Policy, Request, Rules, Sample};
    /// # use refrain::testing::{ScriptedEntropy, ScriptedTransport, TestTime};
    /// # use refrain::{DirectEngine, Driver, Options};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
    /// # let time = TestTime::default();
    /// # let server = ScriptedTransport::new(&time);
    /// # let driver = Driver::new(engine, time, ScriptedEntropy::new(Sample::ZERO));
    /// server.respond(404, &[]);
    /// let result = driver.run(&Request::new(Method::Get), server, &Options::default()).await;
    /// let ended = result.expect_err("not retried, and no success");
    /// assert!(ended.into_response().is_ok_and(|delivered| delivered.response.status() == 404));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Every end but a success. A response that is handed over as it is, such as a 404, is in [`Ended::last`].
    pub fn run<'a, C: Transport>(
        &'a self,
        request: &Request,
        transport: C,
        options: &'a Options,
    ) -> impl Future<Output = RunResult<C::Response, C::Error>> + Send + use<'a, C, E, T, X> {
        self.run_in(options.session(), *request, transport, options)
    }

    /// Runs a request of this session.
    pub(crate) fn run_in<'a, C: Transport>(
        &'a self,
        session: Session,
        request: Request,
        mut transport: C,
        options: &'a Options,
    ) -> impl Future<Output = RunResult<C::Response, C::Error>> + Send + use<'a, C, E, T, X> {
        let request = options.nesting.as_ref().map_or(request, |nesting| nesting.join(&request));
        let mut run = Run::new(self, session, request, options);
        async move {
            let mut task = match run.start() {
                Ok(task) => task,
                Err(over) => return Err(run.ended(over, Last::Nothing)),
            };
            loop {
                let next = match task {
                    // Not in a function of its own, whose future would keep run and transport once more.
                    Task::Send => 'attempt: {
                        let attempt = run.begin();
                        let sent = run.within(run.until, transport.attempt(attempt)).await;
                        let mut answer = match run.headed(sent) {
                            Ok(answer) => answer,
                            Err(why) => break 'attempt run.unanswered(why),
                        };
                        let limit = run.completes_by(transport.completion_timeout());
                        let read = run.within(limit, transport.complete(&mut answer)).await;
                        if let Err(why) = Run::<E, T, X>::read(read) {
                            break 'attempt run.unanswered(why);
                        }
                        match run.answered(&answer) {
                            Ok(task) => Ok(task),
                            // From here, since an answer is moved once more for each step that it goes.
                            Err(over) => match run.success(&over) {
                                Some(delivered) => return Ok(delivered.with(answer)),
                                None => Err((over, Last::Response(answer))),
                            },
                        }
                    }
                    pause => run.pause(pause).await.map_err(|over| (over, Last::Nothing)),
                };
                task = match next {
                    Ok(task) => task,
                    Err((over, last)) => return Err(run.ended(over, last)),
                };
            }
        }
    }
}
