//! Randomness for jitter. It may fail, and a failure stops the request: a fixed sample would bring all clients back
//! together.

use std::{cell::RefCell, fmt};

use policy_core::Sample;

/// A source of uniform random numbers.
///
/// ```
/// use std::sync::Mutex;
/// use refrain::{Entropy, EntropyError, core::Sample};
///
/// /// Numbers from a device, until there are none left.
/// struct Drawn(Mutex<Vec<u32>>);
///
/// impl Entropy for Drawn {
///     fn sample(&self) -> Result<Sample, EntropyError> {
///         let next = self.0.lock().map_err(EntropyError::new)?.pop();
///         next.map(Sample::new).ok_or_else(|| EntropyError::new("the device is empty"))
///     }
/// }
/// let drawn = Drawn(Mutex::new(vec![7]));
/// assert_eq!(drawn.sample(), Ok(Sample::new(7)));
/// assert!(drawn.sample().is_err());
/// ```
pub trait Entropy: Send + Sync {
    /// Draws one. Called once before every call into the engine, but for one that only ends a request.
    ///
    /// # Errors
    /// When the source has no randomness to give. The driver then makes no further send.
    fn sample(&self) -> Result<Sample, EntropyError>;
}

/// The operating system's random numbers, fetched a page of a thread's own at a time: a request draws one for each step and
/// needs few of them. A process that was forked begins with its parent's page.
///
/// ```
/// use refrain::{Entropy, SystemEntropy};
/// let sample = SystemEntropy.sample()?;
/// # let _ = sample;
/// # Ok::<(), refrain::EntropyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn sample(&self) -> Result<Sample, EntropyError> {
        PAGE.with_borrow_mut(Page::draw).map(Sample::new)
    }
}

/// Numbers that each thread has fetched and not yet given out.
struct Page {
    numbers: [u8; 4 * Self::LEN],
    used: usize,
}

thread_local! {
    static PAGE: RefCell<Page> = const { RefCell::new(Page { numbers: [0; 4 * Page::LEN], used: Page::LEN }) };
}

impl Page {
    const LEN: usize = 64;

    fn draw(&mut self) -> Result<u32, EntropyError> {
        if self.used == Self::LEN {
            getrandom::fill(&mut self.numbers).map_err(EntropyError::new)?;
            self.used = 0;
        }
        let (numbers, _) = self.numbers.as_chunks();
        let number = numbers[self.used];
        self.used += 1;
        Ok(u32::from_ne_bytes(number))
    }
}

/// There was no randomness to be had.
///
/// ```
/// use refrain::{EntropyError, Reason};
/// let error = EntropyError::new("the device is empty");
/// assert_eq!(error.to_string(), "no random number could be drawn: the device is empty");
/// assert_eq!(Reason::from(error).name(), "no-entropy");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntropyError(String);

impl EntropyError {
    /// With the source's own words.
    #[must_use]
    pub fn new(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }
}

impl fmt::Display for EntropyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no random number could be drawn: {}", self.0)
    }
}

impl std::error::Error for EntropyError {}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_number_is_given_out_twice_over_several_pages_and_threads() {
        let draw = || (0..10 * Page::LEN).map(|_| SystemEntropy.sample()).collect::<Result<Vec<_>, _>>();
        let other = std::thread::spawn(draw);
        let all = [draw(), other.join().expect("no panic")].map(|drawn| drawn.expect("the system has randomness"));
        let different: HashSet<_> = all.iter().flatten().map(|sample| sample.get()).collect();
        // Of 1,280 numbers of 32 bits two are equal once in 5,000 runs, three once in 30 million.
        assert!(different.len() >= 20 * Page::LEN - 2);
    }
}
