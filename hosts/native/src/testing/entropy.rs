use std::sync::{Arc, Mutex, PoisonError};

use policy_core::Sample;

use crate::entropy::{Entropy, EntropyError};

/// Randomness that gives the same sample until it is given another; clones share it.
///
/// ```
/// use refrain::{Entropy, core::Sample, testing::ScriptedEntropy};
/// let entropy = ScriptedEntropy::new(Sample::ONE);
/// entropy.set(Sample::ZERO);
/// assert_eq!(entropy.sample(), Ok(Sample::ZERO));
/// entropy.fail();
/// assert!(entropy.sample().is_err());
/// ```
#[derive(Clone, Debug)]
pub struct ScriptedEntropy(Arc<Mutex<Option<Sample>>>);

impl ScriptedEntropy {
    /// Gives `sample`.
    #[must_use]
    pub fn new(sample: Sample) -> Self {
        Self(Arc::new(Mutex::new(Some(sample))))
    }

    /// Gives `sample` from here on.
    pub fn set(&self, sample: Sample) {
        self.replace(Some(sample));
    }

    /// Fails from here on.
    pub fn fail(&self) {
        self.replace(None);
    }

    fn replace(&self, sample: Option<Sample>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = sample;
    }
}

impl Entropy for ScriptedEntropy {
    fn sample(&self) -> Result<Sample, EntropyError> {
        let sample = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sample.ok_or_else(|| EntropyError::new("as the test wants it"))
    }
}
