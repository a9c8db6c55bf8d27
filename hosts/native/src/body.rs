//! A request body, and whether it can be sent again.

use std::{fmt, sync::Arc};

use bytes::Bytes;

/// A request body, by the one thing that matters to a retry: whether it can be sent again from its start. That is known
/// from the kind of body, before anything is sent.
///
/// `B` is what the client underneath sends. Bytes are shared between the attempts, not copied.
///
/// ```
/// use bytes::Bytes;
/// use http_body_util::Full;
/// use refrain::Body;
/// assert!(Body::<Full<Bytes>>::bytes("order=1").is_replayable());
/// assert!(Body::from_fn(|| Full::new(Bytes::from_static(b"made anew"))).is_replayable());
/// assert!(!Body::once(Full::new(Bytes::from_static(b"a stream"))).is_replayable());
/// ```
pub struct Body<B>(Kind<B>);

enum Kind<B> {
    Empty(fn() -> B),
    Bytes(Bytes, fn(Bytes) -> B),
    Made(Arc<dyn Fn() -> B + Send + Sync>),
    Once(Option<B>),
}

impl<B> Body<B> {
    /// No body.
    #[must_use]
    pub fn empty() -> Self
    where
        B: Default,
    {
        Self(Kind::Empty(B::default))
    }

    /// These bytes.
    #[must_use]
    pub fn bytes(bytes: impl Into<Bytes>) -> Self
    where
        B: From<Bytes>,
    {
        Self(Kind::Bytes(bytes.into(), B::from))
    }

    /// A body that is made anew for each attempt, such as a file that is opened again. Each must carry the same bytes:
    /// under one idempotency key a server may refuse others.
    ///
    /// ```
    /// use std::io::{Cursor, Read};
    /// use refrain::Body;
    ///
    /// let mut body = Body::from_fn(|| Cursor::new([1, 2, 3]));
    /// for _attempt in 0..2 {
    ///     let mut sent = Vec::new();
    ///     body.for_attempt().expect("one for each").read_to_end(&mut sent)?;
    ///     assert_eq!(sent, [1, 2, 3]);
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn from_fn(make: impl Fn() -> B + Send + Sync + 'static) -> Self {
        Self(Kind::Made(Arc::new(make)))
    }

    /// A body that can be sent only once, such as a stream. It is not sent again even if nothing of it was read, since
    /// nobody can promise that for every client underneath.
    #[must_use]
    pub const fn once(body: B) -> Self {
        Self(Kind::Once(Some(body)))
    }

    /// Whether it can be sent again from its start.
    #[must_use]
    pub const fn is_replayable(&self) -> bool {
        !matches!(self.0, Kind::Once(_))
    }

    /// The body of the next attempt; `None` if it can be sent only once and was.
    ///
    /// ```
    /// use refrain::Body;
    /// let mut body = Body::once("a stream");
    /// assert_eq!(body.for_attempt(), Some("a stream"));
    /// assert_eq!(body.for_attempt(), None);
    /// ```
    pub fn for_attempt(&mut self) -> Option<B> {
        match &mut self.0 {
            Kind::Empty(make) => Some(make()),
            Kind::Bytes(bytes, make) => Some(make(bytes.clone())),
            Kind::Made(make) => Some(make()),
            Kind::Once(body) => body.take(),
        }
    }
}

impl<B: Default> Default for Body<B> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<B: From<Bytes>> From<Bytes> for Body<B> {
    fn from(bytes: Bytes) -> Self {
        Self::bytes(bytes)
    }
}

impl<B: From<Bytes>> From<Vec<u8>> for Body<B> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::bytes(bytes)
    }
}

impl<B: From<Bytes>> From<String> for Body<B> {
    fn from(text: String) -> Self {
        Self::bytes(text)
    }
}

impl<B: From<Bytes>> From<&'static str> for Body<B> {
    fn from(text: &'static str) -> Self {
        Self::bytes(text)
    }
}

impl<B: From<Bytes>> From<&'static [u8]> for Body<B> {
    fn from(bytes: &'static [u8]) -> Self {
        Self::bytes(bytes)
    }
}

/// Says the kind, nothing of the content.
impl<B> fmt::Debug for Body<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Kind::Empty(_) => "Body(empty)",
            Kind::Bytes(..) => "Body(bytes)",
            Kind::Made(_) => "Body(made anew)",
            Kind::Once(Some(_)) => "Body(once)",
            Kind::Once(None) => "Body(sent)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shared_and_not_copied() {
        let bytes = Bytes::from(vec![1, 2, 3]);
        let mut body = Body::<Bytes>::bytes(bytes.clone());
        for _ in 0..2 {
            assert_eq!(body.for_attempt().map(|next| next.as_ptr()), Some(bytes.as_ptr()));
        }
    }

    #[test]
    fn a_body_of_each_kind_is_there_as_often_as_its_kind_says() {
        let all = [Body::empty(), Body::bytes("a"), Body::from_fn(|| Bytes::from_static(b"b")), Body::once("c".into())];
        let replayable = all.each_ref().map(Body::is_replayable);
        assert_eq!(replayable, [true, true, true, false]);
        let twice = all.map(|mut body| [body.for_attempt(), body.for_attempt()]);
        let again = |text: &'static str| [Some(Bytes::from(text)), Some(Bytes::from(text))];
        assert_eq!(twice, [again(""), again("a"), again("b"), [Some("c".into()), None]]);
    }
}
