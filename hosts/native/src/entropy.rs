//! Randomness for jitter. It may fail, and a failure stops the request: a fixed sample would bring all clients back
//! together.

use std::fmt;

use policy_core::Sample;

/// A source of uniform random numbers.
pub trait Entropy: Send + Sync {
    /// Draws one. Called once before every call into the engine, but for one that only ends a request.
    ///
    /// # Errors
    /// When the source has no randomness to give. The driver then makes no further send.
    fn sample(&self) -> Result<Sample, EntropyError>;
}

/// The operating system's random numbers.
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
        getrandom::u32().map(Sample::new).map_err(EntropyError::new)
    }
}

/// There was no randomness to be had.
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
