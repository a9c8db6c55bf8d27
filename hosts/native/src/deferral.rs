//! A bounded queue of requests that are to go on later.

mod storage;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use policy_core::{Mark, Session};
use tokio::sync::Notify;

use crate::{
    changes::changed as signed_in_anew,
    race::race,
    saved::{Saved, due_at},
    session::SessionHandle,
    time::{Rounding, Time},
};

pub use self::storage::{DeferralStorage, MemoryStorage, PushError, Ticket};

/// Requests that are to go on later, the earliest first; clones share them.
///
/// It holds no retry rule and sends nothing: [`DeferralQueue::next`] hands out what is due, the caller runs it, and says
/// [`DeferralQueue::done`] when it has ended, or pushes it anew if it was deferred again. An entry stays stored until then,
/// so a process that ends in between loses none.
///
/// Entries belong to the session in which they were pushed. When another is signed in none of them is handed out any more; the
/// storage forgets them at once while somebody waits in [`DeferralQueue::next`], and else at the next call of any function.
///
/// ```
/// use refrain::core::{Millis, Resume};
/// use refrain::{DeferralQueue, MemoryStorage, Saved, SystemTime};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let queue = DeferralQueue::load(100, MemoryStorage, None, &SystemTime)?;
/// let resume = Resume { delay: Millis::ZERO, not_before: None, attempts_used: 1 };
/// queue.push(Saved { resume, key: None, payload: "order" }, &SystemTime)?;
/// let due = queue.next(&SystemTime).await?;
/// assert_eq!(due.saved.payload, "order");
/// queue.done(due.ticket)?;
/// assert!(queue.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DeferralQueue<P, S = MemoryStorage>(Arc<Shared<P, S>>);

impl<P, S> Clone for DeferralQueue<P, S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[derive(Debug)]
struct Shared<P, S> {
    entries: Mutex<Entries<P, S>>,
    changed: Notify,
    session: Option<SessionHandle>,
    capacity: usize,
}

#[derive(Debug)]
struct Entries<P, S> {
    storage: S,
    session: Session,
    next: u64,
    waiting: BTreeMap<(Mark, Ticket), Saved<P>>,
    due_at: HashMap<Ticket, Option<Mark>>,
}

/// An entry that is due.
///
/// ```
/// use refrain::{Client, DeferralQueue, Due, Saved, SystemTime};
///
/// async fn work(queue: DeferralQueue<String>, client: Client) -> Result<(), Box<dyn std::error::Error>> {
///     loop {
///         let Due { ticket, saved } = queue.next(&SystemTime).await?;
///         let result = client.get(&saved.payload).resume(saved.resume).send().await;
///         if let Some(resume) = result.err().and_then(|error| error.resume()) {
///             queue.push(Saved { resume, ..saved }, &SystemTime)?;
///         }
///         queue.done(ticket)?;
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due<P> {
    /// To be given back when the request has ended.
    pub ticket: Ticket,
    /// The request.
    pub saved: Saved<P>,
}

impl<P: Clone + Send, S: DeferralStorage<P>> DeferralQueue<P, S> {
    /// A queue of at most `capacity` entries, with those that the storage holds, were they more. `time` says when they are
    /// due: once, here, by the wall clock; from then on a correction of it moves nothing.
    ///
    /// # Errors
    /// When the storage could not be read.
    pub fn load<T: Time>(
        capacity: usize,
        mut storage: S,
        session: Option<SessionHandle>,
        time: &T,
    ) -> Result<Self, S::Error> {
        let loaded = storage.load()?;
        let next = loaded.iter().map(|(ticket, _)| ticket.0.wrapping_add(1)).max().unwrap_or_default();
        let mut entries =
            Entries { storage, session: current(&session), next, waiting: BTreeMap::new(), due_at: HashMap::new() };
        for (ticket, saved) in loaded {
            entries.insert(ticket, due_at(&saved.resume, time), saved);
        }
        Ok(Self(Arc::new(Shared { entries: Mutex::new(entries), changed: Notify::new(), session, capacity })))
    }

    /// Adds an entry, due by its own delay from now on.
    ///
    /// # Errors
    /// When the queue is full, or the storage could not keep the entry.
    pub fn push<T: Time>(&self, saved: Saved<P>, time: &T) -> Result<Ticket, PushError<P, S::Error>> {
        let now = time.mark(Rounding::Up);
        let mut entries = self.entries().map_err(PushError::Storage)?;
        if entries.due_at.len() >= self.0.capacity {
            return Err(PushError::Full(saved));
        }
        let ticket = Ticket(entries.next);
        entries.storage.put(ticket, &saved).map_err(PushError::Storage)?;
        entries.next = entries.next.wrapping_add(1);
        // The continuous clock goes on here, so no wall clock is asked.
        let due_at = saved.resume.mark(now, None);
        entries.insert(ticket, due_at, saved);
        drop(entries);
        self.0.changed.notify_waiters();
        Ok(ticket)
    }

    /// Waits for the earliest entry to be due, and hands it out, to one caller only.
    ///
    /// # Errors
    /// When entries of an older session could not be removed from the storage.
    pub async fn next<T: Time>(&self, time: &T) -> Result<Due<P>, S::Error> {
        loop {
            let changed = self.0.changed.notified();
            let mut signed_in = self.0.session.as_ref().map(SessionHandle::subscribe);
            let until = match self.take(time.mark(Rounding::Down))? {
                Ok(due) => return Ok(due),
                Err(until) => until,
            };
            race(signed_in_anew(&mut signed_in), race(changed, time.sleep_until(until))).await;
        }
    }

    /// The earliest entry if it is due, else when to ask again.
    fn take(&self, now: Mark) -> Result<Result<Due<P>, Mark>, S::Error> {
        let mut entries = self.entries()?;
        let Some((&(due_at, ticket), _)) = entries.waiting.first_key_value() else { return Ok(Err(Mark::MAX)) };
        if due_at > now {
            return Ok(Err(due_at));
        }
        entries.due_at.insert(ticket, None);
        Ok(entries.waiting.remove(&(due_at, ticket)).map(|saved| Due { ticket, saved }).ok_or(now))
    }

    /// Removes an entry that was handed out, when its request has ended.
    ///
    /// # Errors
    /// When the storage could not remove it.
    pub fn done(&self, ticket: Ticket) -> Result<(), S::Error> {
        self.cancel(ticket).map(drop)
    }

    /// Removes an entry, handed out or not; `None` if it was not waiting.
    ///
    /// # Errors
    /// When the storage could not remove it. It is not handed out all the same.
    pub fn cancel(&self, ticket: Ticket) -> Result<Option<Saved<P>>, S::Error> {
        let mut entries = self.entries()?;
        let due_at = entries.due_at.remove(&ticket).flatten();
        let saved = due_at.and_then(|due_at| entries.waiting.remove(&(due_at, ticket)));
        entries.storage.remove(ticket)?;
        Ok(saved)
    }

    /// Removes all entries, as at a sign-out that raises no session.
    ///
    /// # Errors
    /// When the storage could not remove them all. None of them is handed out all the same.
    pub fn purge(&self) -> Result<(), S::Error> {
        self.entries()?.purge()
    }

    /// How many there are, those that were handed out included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries().map_or(0, |entries| entries.due_at.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries, without those of an older session.
    fn entries(&self) -> Result<MutexGuard<'_, Entries<P, S>>, S::Error> {
        let mut entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let session = current(&self.0.session);
        if entries.session != session {
            entries.session = session;
            entries.purge()?;
        }
        Ok(entries)
    }
}

impl<P, S: DeferralStorage<P>> Entries<P, S> {
    fn insert(&mut self, ticket: Ticket, due_at: Mark, saved: Saved<P>) {
        self.due_at.insert(ticket, Some(due_at));
        self.waiting.insert((due_at, ticket), saved);
    }

    /// Forgets all first, so that none is handed out whatever the storage says.
    fn purge(&mut self) -> Result<(), S::Error> {
        self.waiting.clear();
        let tickets = std::mem::take(&mut self.due_at);
        tickets.into_keys().try_for_each(|ticket| self.storage.remove(ticket))
    }
}

fn current(session: &Option<SessionHandle>) -> Session {
    session.as_ref().map_or(Session::new(0), SessionHandle::current)
}
