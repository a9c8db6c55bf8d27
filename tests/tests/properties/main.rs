//! Random input: the same answers natively and through the component, and the promises that no input may break.
//!
//! Each run draws the same input. `REFRAIN_SEED=n` draws other input; a failure prints the seed that it came from.

mod differential;
mod inputs;
mod policies;
mod promises;
mod scripts;

use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};

/// Draws inputs, and shrinks those that fail a check.
struct Draws {
    seed: u64,
    runner: TestRunner,
}

impl Draws {
    /// `about` keeps the draws of one test apart from those of another.
    fn new(about: &str, cases: u32) -> Self {
        let seed = match std::env::var("REFRAIN_SEED") {
            Ok(text) => {
                text.parse().unwrap_or_else(|_| panic!("expected `REFRAIN_SEED` to be a number, found `{text}`"))
            }
            Err(_) => 1,
        };
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&u64::to_le_bytes(seed));
        for (byte, letter) in bytes[8..].iter_mut().zip(about.bytes()) {
            *byte = letter;
        }
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        Self { seed, runner: TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)) }
    }

    fn draw<S: Strategy>(&mut self, strategy: &S) -> S::Value {
        strategy.new_tree(&mut self.runner).unwrap().current()
    }

    /// Checks that `holds` for every input; `Err` says what does not.
    fn check<S: Strategy>(&mut self, strategy: &S, holds: impl Fn(&S::Value) -> Result<(), String>)
    where
        S::Value: std::fmt::Debug,
    {
        // A runner counts the inputs of all its runs.
        let mut runner = TestRunner::new_with_rng(self.runner.config().clone(), self.runner.new_rng());
        let checked = runner.run(strategy, |value| holds(&value).map_err(TestCaseError::fail));
        checked.unwrap_or_else(|error| panic!("with REFRAIN_SEED={}: {error}", self.seed));
    }
}
