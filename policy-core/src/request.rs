//! What the policy may know about a logical request. No URL, no body, no header.

use crate::time::{Mark, Millis};

/// A logical request as the policy sees it.
///
/// ```
/// use policy_core::{Method, Request};
/// let request = Request::new(Method::Get);
/// assert!(request.replayable && request.attempts_used == 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The idempotency key.
    pub key: IdempotencyKey,
    /// The body can be sent again from its start: empty, buffered, or re-creatable.
    pub replayable: bool,
    /// Tighter limits for this request.
    pub limits: Limits,
    /// Sends of this logical request made before [`Execution::start`](crate::Execution::start): by an outer layer, or
    /// before the request was saved. 0 for a fresh one.
    pub attempts_used: u32,
    /// A resumed request is not sent before this mark.
    pub not_before: Option<Mark>,
}

impl Request {
    /// A fresh request without a body, a key, or limits of its own.
    #[must_use]
    pub const fn new(method: Method) -> Self {
        Self {
            method,
            key: IdempotencyKey::Absent,
            replayable: true,
            limits: Limits::NONE,
            attempts_used: 0,
            not_before: None,
        }
    }
}

/// Limits for one request. They can only tighten the policy; a looser value changes nothing.
///
/// ```
/// use policy_core::*;
/// # let policy = Policy::new(Rules::DEFAULT).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// let limits = Limits { max_attempts: Some(1), ..Limits::NONE };
/// let begun = Execution::start(&policy, &Request { limits, ..Request::new(Method::Get) }, &now).execution;
/// let busy = Event::Response { of: Attempt::single(1), status: 503, fields: &[] };
/// let Command::Finish(outcome) = begun.handle(&policy, busy, &now).command else { panic!() };
/// assert_eq!(outcome.end, End::AttemptsUsed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Limits {
    /// All sends, the first included.
    pub max_attempts: Option<u32>,
    /// Over all attempts, from `start`.
    pub deadline: Option<Millis>,
    /// Longest wait in this process, for example of a service worker; above it the request is deferred.
    pub max_wait: Option<Millis>,
}

impl Limits {
    /// What the policy says.
    pub const NONE: Self = Self { max_attempts: None, deadline: None, max_wait: None };
}

/// The request method, as the replay gate sees it.
///
/// ```
/// use policy_core::{Method, Rules};
/// assert!(Rules::DEFAULT.methods.contains(Method::Put));
/// assert!(!Rules::DEFAULT.methods.contains(Method::from_name("PURGE")), "nobody knows what it does");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Method {
    /// GET
    Get = 0,
    /// HEAD
    Head = 1,
    /// OPTIONS
    Options = 2,
    /// TRACE
    Trace = 3,
    /// QUERY
    Query = 4,
    /// PUT
    Put = 5,
    /// DELETE
    Delete = 6,
    /// POST
    Post = 7,
    /// PATCH
    Patch = 8,
    /// CONNECT
    Connect = 9,
    /// Anything else.
    Other = 10,
}

impl Method {
    /// Every method, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Get,
        Self::Head,
        Self::Options,
        Self::Trace,
        Self::Query,
        Self::Put,
        Self::Delete,
        Self::Post,
        Self::Patch,
        Self::Connect,
        Self::Other,
    ];

    /// The method of this name; names are case-sensitive (RFC 9110 §9.1), so `get` is [`Method::Other`].
    ///
    /// ```
    /// use policy_core::Method;
    /// assert_eq!(Method::from_name("GET"), Method::Get);
    /// assert_eq!(Method::from_name("get"), Method::Other);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|method| method.name() == name).unwrap_or(Self::Other)
    }

    /// The name on the wire; empty for [`Method::Other`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Trace => "TRACE",
            Self::Query => "QUERY",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Connect => "CONNECT",
            Self::Other => "",
        }
    }
}

/// What is known about an idempotency key on a request.
///
/// ```
/// use policy_core::*;
/// # let policy = Policy::new(Rules::DEFAULT).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// let request = Request { key: IdempotencyKey::Honoured, ..Request::new(Method::Post) };
/// let begun = Execution::start(&policy, &request, &now).execution;
/// let reset = Event::Failure { of: Attempt::single(1), kind: FailureKind::Ambiguous, timed_out: false };
/// assert!(matches!(begun.handle(&policy, reset, &now).command, Command::Wait(_)), "it may be repeated");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum IdempotencyKey {
    /// No key is sent.
    #[default]
    Absent = 0,
    /// A key is sent, but nothing says that this server honours it. Counts as absent.
    Sent = 1,
    /// A key is sent, the same on every attempt, and the server is known to honour it.
    Honoured = 2,
}

/// A set of methods.
///
/// ```
/// use policy_core::{Method, MethodSet};
/// const READS: MethodSet = MethodSet::of(&[Method::Get, Method::Head]);
/// assert!(READS.contains(Method::Get) && !READS.contains(Method::Post));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct MethodSet(u16);

impl MethodSet {
    /// No method.
    pub const EMPTY: Self = Self(0);

    /// The set of these methods.
    #[must_use]
    pub const fn of(methods: &[Method]) -> Self {
        let (mut set, mut rest) = (0, methods);
        while let Some((method, more)) = rest.split_first() {
            set |= 1 << *method as u16;
            rest = more;
        }
        Self(set)
    }

    /// Whether `method` is in the set.
    #[must_use]
    pub const fn contains(self, method: Method) -> bool {
        self.0 >> method as u16 & 1 == 1
    }

    /// One bit a method, at the method's number.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set with these bits; `None` if a bit stands for no method.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        if bits >> 11 == 0 { Some(Self(bits)) } else { None }
    }
}
