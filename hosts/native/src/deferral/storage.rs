//! Where deferred requests are kept.

use std::{convert::Infallible, error::Error, fmt};

use crate::saved::Saved;

/// Names an entry of a [`DeferralQueue`](super::DeferralQueue); unique within its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// Where a [`DeferralQueue`](super::DeferralQueue) keeps its entries. One that outlives the process must belong to one account: who is signed in
/// when it is loaded is taken for the owner of all entries.
pub trait DeferralStorage<P>: Send {
    /// Why an entry could not be kept, removed or read.
    type Error;

    /// Keeps an entry.
    ///
    /// # Errors
    /// When it could not be kept. It is then not in the queue either.
    fn put(&mut self, ticket: Ticket, saved: &Saved<P>) -> Result<(), Self::Error>;

    /// Forgets an entry, if it is there.
    ///
    /// # Errors
    /// When it may still be there.
    fn remove(&mut self, ticket: Ticket) -> Result<(), Self::Error>;

    /// All entries that are kept.
    ///
    /// # Errors
    /// When they could not be read.
    fn load(&mut self) -> Result<Vec<(Ticket, Saved<P>)>, Self::Error>;
}

/// Keeps nothing beyond what the queue itself holds in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryStorage;

impl<P> DeferralStorage<P> for MemoryStorage {
    type Error = Infallible;

    fn put(&mut self, _: Ticket, _: &Saved<P>) -> Result<(), Infallible> {
        Ok(())
    }

    fn remove(&mut self, _: Ticket) -> Result<(), Infallible> {
        Ok(())
    }

    fn load(&mut self) -> Result<Vec<(Ticket, Saved<P>)>, Infallible> {
        Ok(Vec::new())
    }
}

/// Why an entry was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushError<P, E> {
    /// The queue holds as many as it may; here is the entry.
    Full(Saved<P>),
    /// The storage could not keep it.
    Storage(E),
}

impl<P, E: fmt::Display> fmt::Display for PushError<P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(_) => f.write_str("the queue of deferred requests is full"),
            Self::Storage(error) => write!(f, "the deferred request could not be stored: {error}"),
        }
    }
}

impl<P: fmt::Debug, E: Error> Error for PushError<P, E> {}
