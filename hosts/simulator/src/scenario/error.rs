use std::fmt;

/// Why a text is no scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScenarioError {
    /// It is not TOML, or has a key or a value that a scenario has not.
    Text(String),
    /// A value makes no sense.
    Value {
        /// Where it stands.
        key: String,
        /// What was expected.
        expected: String,
    },
    /// A policy cannot be read, or there is none of this name.
    Policy {
        /// Its name in the scenario.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl ScenarioError {
    pub(crate) fn value(key: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Value { key: key.into(), expected: expected.into() }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(problem) => f.write_str(problem.trim_end()),
            Self::Value { key, expected } => write!(f, "`{key}`: expected {expected}"),
            Self::Policy { name, problem } => write!(f, "policy `{name}`: {}", problem.trim_end()),
        }
    }
}

impl std::error::Error for ScenarioError {}
