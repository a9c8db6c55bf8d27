//! What is kept of a request that is to go on later, also in another process.

use policy_core::{Mark, Request, Resume};

use crate::{
    key::Key,
    time::{Rounding, Time},
};

/// A request that is to go on later: when, after how many sends, under which key. No URL, header, body or credential: how to
/// make the request again is the caller's to keep, as `payload`.
///
/// With the feature `serde` it can be written and read in any format, in which it looks like this:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use refrain::Saved;
/// let text = r#"{"delay_ms":90000,"not_before_ms":1700000090000,"attempts_used":1,"key":"order-4711","payload":"order"}"#;
/// let saved: Saved<String> = serde_json::from_str(text)?;
/// assert_eq!((saved.resume.attempts_used, serde_json::to_string(&saved)?.as_str()), (1, text));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(from = "form::Form<P>", into = "form::Form<P>", bound(serialize = "P: Clone + serde::Serialize"))
)]
pub struct Saved<P = ()> {
    /// When to go on, and with which count.
    pub resume: Resume,
    /// The key, which is to be used again.
    pub key: Option<Key>,
    /// What the caller needs to make the request again.
    pub payload: P,
}

impl<P> Saved<P> {
    /// `request`, but to be sent no earlier than it may be, and with the sends so far counted. To be asked once, when the
    /// request goes on; see [`Resume::mark`].
    ///
    /// ```
    /// use refrain::core::{Mark, Method, Millis, Request, Resume};
    /// use refrain::{Saved, testing::TestTime};
    /// let resume = Resume { delay: Millis::from_secs(90), not_before: None, attempts_used: 1 };
    /// let saved = Saved { resume, key: None, payload: () };
    /// let request = saved.join(&Request::new(Method::Get), &TestTime::default());
    /// assert_eq!((request.attempts_used, request.not_before), (1, Some(Mark::new(90_001))));
    /// ```
    #[must_use]
    pub fn join<T: Time>(&self, request: &Request, time: &T) -> Request {
        resumed(&self.resume, request, time)
    }
}

pub(crate) fn resumed<T: Time>(resume: &Resume, request: &Request, time: &T) -> Request {
    Request { attempts_used: resume.attempts_used, not_before: Some(due_at(resume, time)), ..*request }
}

/// By the wall clock. A pause between the two readings makes it later, not earlier.
pub(crate) fn due_at<T: Time>(resume: &Resume, time: &T) -> Mark {
    let wall = time.wall();
    resume.mark(time.mark(Rounding::Up), wall)
}

/// How a saved request is written.
#[cfg(feature = "serde")]
mod form {
    use policy_core::{Millis, Resume, UnixMillis};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use super::Saved;
    use crate::key::Key;

    #[derive(Serialize, Deserialize)]
    pub(super) struct Form<P> {
        delay_ms: u64,
        not_before_ms: Option<u64>,
        attempts_used: u32,
        key: Option<Key>,
        payload: P,
    }

    impl<P> From<Form<P>> for Saved<P> {
        fn from(form: Form<P>) -> Self {
            let Form { delay_ms, not_before_ms, attempts_used, key, payload } = form;
            let (delay, not_before) = (Millis::new(delay_ms), not_before_ms.map(UnixMillis::new));
            Self { resume: Resume { delay, not_before, attempts_used }, key, payload }
        }
    }

    impl<P> From<Saved<P>> for Form<P> {
        fn from(saved: Saved<P>) -> Self {
            let Saved { resume: Resume { delay, not_before, attempts_used }, key, payload } = saved;
            let (delay_ms, not_before_ms) = (delay.get(), not_before.map(UnixMillis::get));
            Self { delay_ms, not_before_ms, attempts_used, key, payload }
        }
    }

    impl Serialize for Key {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl<'de> Deserialize<'de> for Key {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
        }
    }
}
