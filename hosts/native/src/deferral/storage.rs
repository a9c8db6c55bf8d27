//! Where deferred requests are kept.

use std::{convert::Infallible, error::Error, fmt};

use crate::saved::Saved;

/// Names an entry of a [`DeferralQueue`](super::DeferralQueue); unique within its storage.
///
/// ```
/// # use refrain::core::{Millis, Resume};
/// use refrain::{DeferralQueue, MemoryStorage, Saved, testing::TestTime};
/// # let resume = Resume { delay: Millis::ZERO, not_before: None, attempts_used: 1 };
/// let time = TestTime::default();
/// let queue = DeferralQueue::load(100, MemoryStorage, None, &time)?;
/// let ticket = queue.push(Saved { resume, key: None, payload: "order" }, &time)?;
/// assert_eq!(queue.cancel(ticket)?.map(|saved| saved.payload), Some("order"));
/// assert_eq!(queue.cancel(ticket)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// Where a [`DeferralQueue`](super::DeferralQueue) keeps its entries. One that outlives the process must belong to one account: who is signed in
/// when it is loaded is taken for the owner of all entries.
///
/// ```
/// use std::{collections::BTreeMap, convert::Infallible};
/// use refrain::{DeferralQueue, DeferralStorage, Saved, Ticket, testing::TestTime};
///
/// /// Stands for a table of one account.
/// #[derive(Default)]
/// struct Table(BTreeMap<Ticket, Saved<String>>);
///
/// impl DeferralStorage<String> for Table {
///     type Error = Infallible;
///
///     fn put(&mut self, ticket: Ticket, saved: &Saved<String>) -> Result<(), Infallible> {
///         self.0.insert(ticket, saved.clone());
///         Ok(())
///     }
///
///     fn remove(&mut self, ticket: Ticket) -> Result<(), Infallible> {
///         self.0.remove(&ticket);
///         Ok(())
///     }
///
///     fn load(&mut self) -> Result<Vec<(Ticket, Saved<String>)>, Infallible> {
///         Ok(self.0.clone().into_iter().collect())
///     }
/// }
/// let queue = DeferralQueue::load(100, Table::default(), None, &TestTime::default())?;
/// assert!(queue.is_empty());
/// # Ok::<(), Infallible>(())
/// ```
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
///
/// ```
/// use refrain::{DeferralQueue, MemoryStorage, testing::TestTime};
/// let queue = DeferralQueue::<String>::load(100, MemoryStorage, None, &TestTime::default())?;
/// assert_eq!(queue.len(), 0);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
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
///
/// ```
/// # use refrain::core::{Millis, Resume};
/// use refrain::{DeferralQueue, MemoryStorage, PushError, Saved, testing::TestTime};
/// # let resume = Resume { delay: Millis::ZERO, not_before: None, attempts_used: 1 };
/// let time = TestTime::default();
/// let queue = DeferralQueue::load(1, MemoryStorage, None, &time)?;
/// let saved = Saved { resume, key: None, payload: "order" };
/// queue.push(saved.clone(), &time)?;
/// assert_eq!(queue.push(saved.clone(), &time), Err(PushError::Full(saved)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
