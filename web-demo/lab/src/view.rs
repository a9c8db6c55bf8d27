//! What is drawn: points as a list of their places and one of their values.

use refrain_simulator::{Load, Run, SoFar};
use serde::Serialize;
use wasm_bindgen::JsError;

type Points = (Vec<f64>, Vec<f64>);

/// A run in lines.
#[derive(Serialize)]
pub(crate) struct Series {
    policy: String,
    /// Attempts that reach the server, in each second.
    offered: Points,
    /// Attempts that the server answers with success, in each second.
    served: Points,
    /// Requests that end with success, in percent of all, by seconds since they began; empty before the end.
    within: Points,
}

impl Series {
    pub(crate) fn of(run: &Run) -> Self {
        let within = run.succeeded_within().into_iter().unzip();
        Self { within, ..Self::of_load(&run.policy, &run.load) }
    }

    pub(crate) fn so_far(run: &SoFar) -> Self {
        Self::of_load(&run.policy, &run.load)
    }

    fn of_load(policy: &str, load: &Load) -> Self {
        let points = |counts: &[u64]| load.per_second(counts).into_iter().unzip();
        Self {
            policy: policy.to_owned(),
            offered: points(&load.offered),
            served: points(&load.served),
            within: Points::default(),
        }
    }
}

pub(crate) fn json(value: &impl Serialize) -> Result<String, JsError> {
    serde_json::to_string(value).map_err(JsError::from)
}
