//! A recorded request as a conformance vector.

use std::{fmt, sync::LazyLock};

use policy_core::{BODY_LEN, Policy};
use refrain_document::{Digest, ready};
use serde_json::Value;

use super::Request;
use crate::{
    policy::PolicySpec,
    vector::{Call, NowSpec, RequestSpec, Step, Steps, Vector},
};

/// Why a request is no vector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoVector {
    /// It was decided by another policy.
    OtherPolicy,
    /// It cannot be run again from this line on.
    Inexact(usize),
    /// The engine made no decision on this line, which no vector can expect.
    Failed(usize),
    /// The policy has what no vector can say.
    Unsaid,
}

impl fmt::Display for NoVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherPolicy => f.write_str("expected the policy by which it was recorded"),
            Self::Inexact(line) => write!(
                f,
                "expected hints that were recorded as they were sent, found none on line {line}: record with \
                 `--record-hints`"
            ),
            Self::Failed(line) => write!(f, "expected a decision, found a failure of the engine on line {line}"),
            Self::Unsaid => f.write_str("expected a policy that a vector can say"),
        }
    }
}

impl std::error::Error for NoVector {}

/// The ready-made policies, compiled, by their names.
static READY: LazyLock<Vec<(&str, [u8; BODY_LEN])>> = LazyLock::new(|| {
    let compiled = |name| ready::find(name).map(|ready| (name, ready.document().slot().policy().to_bytes()));
    ready::names().filter_map(compiled).collect()
});

impl Request {
    /// The vector that expects what was recorded, by the policy that was recorded. Its id is made of its content, so the
    /// same report has the same one.
    ///
    /// # Errors
    /// Why there is none.
    pub fn to_vector(&self, policy: &Policy) -> Result<Vector, NoVector> {
        if Digest::of(&policy.to_bytes()).to_string() != self.policy.sha256 {
            return Err(NoVector::OtherPolicy);
        }
        if let Some(line) = self.inexact {
            return Err(NoVector::Inexact(line));
        }
        if let Some((line, ..)) = self.failed {
            return Err(NoVector::Failed(line));
        }
        let ready_made = READY.iter().find(|(_, bytes)| *bytes == policy.to_bytes()).map(|(name, _)| *name);
        let spec = match ready_made {
            Some(_) => PolicySpec::default(),
            None => PolicySpec::of(policy).ok_or(NoVector::Unsaid)?,
        };
        let steps = plain(&self.steps, policy);
        let content = serde_json::to_vec(&(&spec, &steps)).unwrap_or_default();
        Ok(Vector {
            id: format!("recorded-{:.12}", Digest::of(&content).to_string()),
            source: format!("recorded under {} {}", self.policy.name, self.policy.version),
            why: String::new(),
            ready_made: ready_made.map(str::to_owned),
            policy: spec,
            parse: None,
            steps: Some(steps),
            run: None,
            expect: serde_json::Map::new(),
        })
    }
}

/// The same without what a vector takes for granted.
fn plain(steps: &Steps, policy: &Policy) -> Steps {
    let mut now = NowSpec {
        mark: Some(0.into()),
        wall: Some((-1).into()),
        session: Some(1),
        cancelled: Some(false),
        network: Some("unknown".into()),
        sample: Some(0.into()),
        tokens: Some(policy.budget().map_or(0, |budget| budget.capacity.thousandths())),
        hold: None,
    };
    let mut in_flight = None;
    let call = |step: &Step| {
        let changed = changes(&now, &step.now);
        now = step.now.clone();
        // Tokens go on from what the call gave.
        now.tokens = step.expect.get("tokens").and_then(Value::as_u64).and_then(|tokens| u32::try_from(tokens).ok());
        let call = without_attempt(&step.call, in_flight);
        if step.expect.get("command") == Some(&"send".into()) {
            in_flight = step.expect.get("attempt").and_then(Value::as_u64);
        }
        Step { call, now: changed, execution: None, expect: step.expect.clone() }
    };
    let calls = steps.calls.iter().map(call).collect();
    Steps { request: plain_request(&steps.request), calls }
}

/// What is not as it was.
fn changes(before: &NowSpec, now: &NowSpec) -> NowSpec {
    fn changed<T: Clone + PartialEq>(before: &Option<T>, now: &Option<T>) -> Option<T> {
        now.clone().filter(|_| before != now)
    }
    NowSpec {
        mark: changed(&before.mark, &now.mark),
        wall: changed(&before.wall, &now.wall),
        session: changed(&before.session, &now.session),
        cancelled: changed(&before.cancelled, &now.cancelled),
        network: changed(&before.network, &now.network),
        sample: changed(&before.sample, &now.sample),
        tokens: changed(&before.tokens, &now.tokens),
        hold: changed(&before.hold, &now.hold),
    }
}

/// The call; that it is of the attempt in flight goes without saying.
fn without_attempt(call: &Call, in_flight: Option<u64>) -> Call {
    let mut call = call.clone();
    match &mut call {
        Call::Response(response) => response.attempt = response.attempt.filter(|of| in_flight != Some((*of).into())),
        Call::Failure(failure) => failure.attempt = failure.attempt.filter(|of| in_flight != Some((*of).into())),
        Call::Start | Call::Wake => {}
    }
    call
}

fn plain_request(request: &RequestSpec) -> RequestSpec {
    RequestSpec {
        method: request.method.clone().filter(|method| method != "GET"),
        key: request.key.clone().filter(|key| key != "absent"),
        replayable: request.replayable.filter(|replayable| !replayable),
        ..request.clone()
    }
}
