//! What the adapters have in common that put the driver between a client and its caller.

use std::{convert::Infallible, fmt, sync::Arc};

use http::{Extensions, HeaderMap, Method};
use policy_core::{End, IdempotencyKey, Limits, Millis, Request, Resume};

use crate::{
    directory::Origin,
    driver::RunResult,
    fresh::FreshHeaders,
    key::{Key, KeyField},
    nesting::Nesting,
    options::Options,
    outcome::{Delivered, Ended, Last, Reason},
    saved::resumed,
    session::SessionTag,
    sharing::Sharing,
    stamp::Stamp,
    time::Time,
    transport::Head,
};

/// What all requests through an adapter have in common.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) options: Options,
    pub(crate) key_field: Option<KeyField>,
    pub(crate) fresh: Option<Arc<dyn FreshHeaders>>,
    pub(crate) announces: bool,
    pub(crate) sharing: Sharing,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("key_field", &self.key_field).finish_non_exhaustive()
    }
}

/// The methods with which an adapter is set up, for one that keeps [`Settings`] in its field `settings`. `$given` is the line
/// of their examples that says what `retry` is, and what its `policy`.
macro_rules! settings_methods {
    ($given:literal) => {
        /// The handles of every request that has none in its extensions.
        ///
        /// ```
        /// use refrain::{CancellationToken, Options};
        #[doc = $given]
        /// let shutdown = CancellationToken::new();
        /// let options = Options { cancel: Some(shutdown.clone()), ..Options::default() };
        /// let retry = retry.options(options);
        /// # }
        /// ```
        #[must_use]
        pub fn options(mut self, options: crate::Options) -> Self {
            self.settings.options = options;
            self
        }

        /// The field in which the server takes idempotency keys, and honours them. Without it a key that stands in a
        /// request's headers opens nothing; one in its extensions is sent as `Idempotency-Key`.
        ///
        /// ```
        /// use refrain::{KeyField, KeyForm};
        #[doc = $given]
        /// let retry = retry.key_field(KeyField { form: KeyForm::Quoted, ..KeyField::default() });
        /// # }
        /// ```
        #[must_use]
        pub fn key_field(mut self, field: crate::KeyField) -> Self {
            self.settings.key_field = Some(field);
            self
        }

        /// Makes headers anew for each attempt.
        ///
        /// ```
        /// use http::{HeaderMap, HeaderValue, header::DATE};
        /// use refrain::{BoxError, Outgoing};
        ///
        /// fn dated(_: &Outgoing<'_>) -> Result<HeaderMap, BoxError> {
        ///     let date = HeaderValue::try_from(today())?;
        ///     Ok(HeaderMap::from_iter([(DATE, date)]))
        /// }
        /// # fn today() -> String { String::new() }
        #[doc = $given]
        /// let retry = retry.fresh_headers(dated);
        /// # }
        /// ```
        #[must_use]
        pub fn fresh_headers(mut self, fresh: impl crate::FreshHeaders + 'static) -> Self {
            self.settings.fresh = Some(std::sync::Arc::new(fresh));
            self
        }

        /// The retry budgets that requests share; the driver's own, for all, unless they are set.
        ///
        /// ```
        /// use refrain::{BudgetScope, Budgets};
        #[doc = $given]
        /// let retry = retry.budgets(Budgets::new(BudgetScope::Host, policy));
        /// # }
        /// ```
        #[must_use]
        pub fn budgets(mut self, budgets: crate::Budgets) -> Self {
            self.settings.sharing.budgets = Some(budgets);
            self
        }

        /// Holds requests back whose origin asked a sibling to stay away. Nothing is held back unless this is set.
        ///
        /// ```
        /// use refrain::Holds;
        #[doc = $given]
        /// let retry = retry.holds(Holds::default());
        /// # }
        /// ```
        #[must_use]
        pub fn holds(mut self, holds: crate::Holds) -> Self {
            self.settings.sharing.holds = Some(holds);
            self
        }

        /// Tells the server of each attempt that it is retried here, in [`Nesting::FIELD`](crate::Nesting::FIELD).
        #[must_use]
        pub fn announce(mut self) -> Self {
            self.settings.announces = true;
            self
        }
    };
}
pub(crate) use settings_methods;

/// One request, ready to be run.
pub(crate) struct Prepared {
    pub(crate) request: Request,
    pub(crate) stamp: Stamp,
    pub(crate) options: Options,
    pub(crate) nesting: Nesting,
}

impl Settings {
    /// What the request says by itself, and what its extensions say: [`Options`], [`Limits`], a [`Key`], a [`Resume`], the
    /// [`Nesting`] of a layer above.
    pub(crate) fn prepare<T: Time>(
        &self,
        method: &Method,
        headers: &HeaderMap,
        extensions: &Extensions,
        replayable: bool,
        (origin, time): (impl FnOnce() -> Origin, &T),
    ) -> Prepared {
        let field = self.key_field.clone().unwrap_or_default();
        let made = extensions.get::<Key>().map(|key| field.value(key));
        let key = match (&made, headers.contains_key(&field.name)) {
            (Some(_), _) => IdempotencyKey::Honoured,
            (None, true) if self.key_field.is_some() => IdempotencyKey::Honoured,
            (None, true) => IdempotencyKey::Sent,
            (None, false) => IdempotencyKey::Absent,
        };
        let limits = extensions.get().copied().unwrap_or(Limits::NONE);
        let request =
            Request { key, replayable, limits, ..Request::new(policy_core::Method::from_name(method.as_str())) };
        let request = extensions.get().map_or(request, |resume| resumed(resume, &request, time));
        let options = extensions.get().unwrap_or(&self.options);
        let filled = self.sharing.fill(options, extensions.get(), time, origin);
        let options = filled.unwrap_or_else(|| options.clone());
        let nesting = Nesting::of_request(extensions.get().or(options.nesting.as_ref()));
        let stamp = Stamp {
            key_field: field.name,
            key: made,
            fresh: self.fresh.clone(),
            announces: self.announces.then(|| nesting.clone()),
        };
        Prepared { request, stamp, options: Options { nesting: Some(nesting.clone()), ..options }, nesting }
    }
}

/// How a request ended that brought no answer to hand over.
///
/// ```
/// use refrain::{NoAnswer, core::Millis};
/// fn try_again_in<E>(error: &NoAnswer<E>) -> Option<Millis> {
///     error.resume.map(|resume| resume.delay)
/// }
/// ```
pub type NoAnswer<E> = Ended<Infallible, E>;

/// What became of the logical request that an answer is of. The [`tower`](crate::tower) layer and the
/// [`middleware`](crate::middleware) put it into the answer's extensions.
///
/// ```
/// use refrain::Report;
///
/// fn told<B>(answer: &http::Response<B>) -> Option<String> {
///     let report = answer.extensions().get::<Report>()?;
///     report.is_current().then(|| format!("{} after {} sends", report.reason, report.attempts))
/// }
/// assert_eq!(told(&http::Response::new(())), None, "no layer of ours was asked");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Why it ended: with a success, or with an answer that is handed over as it is, such as a 404 or the last 503.
    pub reason: Reason,
    /// How long the answer asked to stay away; see [`Ended::asked`].
    pub asked: Option<Millis>,
    /// All sends of the logical request.
    pub attempts: u32,
    /// An earlier attempt may have been applied too.
    pub maybe_applied: bool,
    /// What is needed to go on later, if that is worth it.
    pub resume: Option<Resume>,
    /// The session that the answer was asked for in.
    pub session: SessionTag,
}

impl Report {
    /// What a layer below deferred, and nobody above begins again, can go on later all the same.
    pub(crate) fn over(self, extensions: &Extensions) -> Self {
        let below = extensions.get::<Self>().filter(|_| self.reason == Reason::Policy(End::Nested));
        Self { resume: self.resume.or(below.and_then(|below| below.resume)), ..self }
    }

    /// Whether the session that asked is still signed in; to be asked after the body was read.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.session.is_current()
    }
}

/// The answer and its report, whatever its status; else how the request ended.
pub(crate) fn answer<R: Head, E>(result: RunResult<R, E>) -> Result<(R, Report), NoAnswer<E>> {
    let ended = match result {
        Ok(Delivered { response, session, attempts, maybe_applied }) => {
            let reason = Reason::Policy(End::Success);
            return Ok((response, Report { reason, asked: None, attempts, maybe_applied, resume: None, session }));
        }
        Err(ended) => ended,
    };
    let Ended { reason, bound, hint, asked, attempts, maybe_applied, resume, last, session } = ended;
    let last = match last {
        Last::Response(response) => {
            return Ok((response, Report { reason, asked, attempts, maybe_applied, resume, session }));
        }
        Last::Failure(failure) => Last::Failure(failure),
        Last::Status(status) => Last::Status(status),
        Last::Nothing => Last::Nothing,
    };
    Err(Ended { reason, bound, hint, asked, attempts, maybe_applied, resume, last, session })
}
