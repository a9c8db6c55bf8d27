//! Runs one vector against an engine and compares.

use std::fmt;

use refrain::Engine;
use serde_json::{Map, Value, json};

use crate::{
    engines::Maker,
    host,
    observe::{self, object},
    steps,
    vector::{Baked, Parse, Vector},
};

/// A vector that did not come out as it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The vector.
    pub id: String,
    /// The call, for a vector with `steps`, from 0.
    pub step: Option<usize>,
    /// What was expected.
    pub expected: Map<String, Value>,
    /// What came.
    pub observed: Map<String, Value>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        if let Some(step) = self.step {
            write!(f, ", call {step}")?;
        }
        let (expected, observed) = (Value::Object(self.expected.clone()), Value::Object(self.observed.clone()));
        write!(f, "\n  expected {expected}\n  observed {observed}")
    }
}

/// Runs `vector` against an engine made for its policy.
///
/// # Errors
/// The first mismatch.
pub fn check(maker: &mut dyn Maker, vector: &Vector) -> Result<(), Box<Mismatch>> {
    let mismatch = |step, expected: &Map<String, Value>, observed| {
        Box::new(Mismatch { id: vector.id.clone(), step, expected: expected.clone(), observed })
    };
    let failed = |error: String| mismatch(None, &vector.expect, object(json!({"error": error})));
    let observed = observe(maker, vector).map_err(failed)?;
    match &vector.steps {
        Some(steps) => {
            let mut observed = observed.into_iter();
            for (at, step) in steps.calls.iter().enumerate() {
                let observed = observed.next().unwrap_or_default();
                if !agrees(&step.expect, &observed) {
                    return Err(mismatch(Some(at), &step.expect, observed));
                }
            }
        }
        None => {
            let observed = observed.into_iter().next().unwrap_or_default();
            if !agrees(&vector.expect, &observed) {
                return Err(mismatch(None, &vector.expect, observed));
            }
        }
    }
    Ok(())
}

/// What an engine makes of a vector: one object, or one for each call.
///
/// # Errors
/// When the vector cannot be run, or the engine failed, in words.
pub fn observe(maker: &mut dyn Maker, vector: &Vector) -> Result<Vec<Map<String, Value>>, String> {
    match vector.bake()? {
        Baked::Slot(slot) => observe_by(&*maker.make(&slot)?, vector),
        // A policy that is refused sends nothing; that is an answer too.
        Baked::Refused(error) => Ok(vec![object(json!({"policy_error": error, "sends": 0, "end": "config-error"}))]),
    }
}

/// What `engine` makes of a vector, whatever policy the vector has.
///
/// # Errors
/// As [`observe`].
pub fn observe_by(engine: &dyn Engine, vector: &Vector) -> Result<Vec<Map<String, Value>>, String> {
    match (&vector.parse, &vector.steps, &vector.run) {
        (Some(parse), None, None) => Ok(vec![parsed(engine, parse)?]),
        (None, Some(steps), None) => steps::run(engine, steps),
        (None, None, Some(script)) => Ok(vec![host::run(engine, script)?]),
        _ => Err("expected exactly one of `parse`, `steps` and `run`".into()),
    }
}

fn parsed(engine: &dyn Engine, parse: &Parse) -> Result<Map<String, Value>, String> {
    let value = match (&parse.value, &parse.value_hex) {
        (Some(text), None) => text.chars().map(|character| character as u8).collect(),
        (None, Some(hex)) => unhex(hex)?,
        _ => return Err("expected either `value` or `value_hex`".into()),
    };
    let now = parse.wall.map(policy_core::UnixMillis::new);
    let cut = &value[..value.len().min(policy_core::FIELD_MAX)];
    Ok(observe::parsed(engine.parse(cut, now).map_err(|error| error.to_string())?))
}

pub(crate) fn unhex(hex: &str) -> Result<Vec<u8>, String> {
    let pair = |at: usize| hex.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(pair).collect();
    bytes.ok_or_else(|| format!("expected pairs of hexadecimal digits, found `{hex}`"))
}

/// Whether everything that was expected came.
fn agrees(expected: &Map<String, Value>, observed: &Map<String, Value>) -> bool {
    expected.iter().all(|(name, value)| match (value, observed.get(name)) {
        (Value::Object(expected), Some(Value::Object(observed))) => agrees(expected, observed),
        (value, observed) => observed == Some(value),
    })
}
