//! Two futures, until one completes.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;

/// Which of two futures was first.
pub(crate) enum Either<A, B> {
    Left(A),
    Right(B),
}

/// Runs two futures until one completes; the left one if both do.
pub(crate) const fn race<A: Future, B: Future>(left: A, right: B) -> Race<A, B> {
    Race { left, right }
}

pin_project! {
    /// See [`race`]. Written out, since an `async fn` would keep its parameters twice: these stand in every request that
    /// waits.
    pub(crate) struct Race<A, B> {
        #[pin]
        left: A,
        #[pin]
        right: B,
    }
}

impl<A: Future, B: Future> Future for Race<A, B> {
    type Output = Either<A::Output, B::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let race = self.project();
        match race.left.poll(cx) {
            Poll::Ready(left) => Poll::Ready(Either::Left(left)),
            Poll::Pending => race.right.poll(cx).map(Either::Right),
        }
    }
}
