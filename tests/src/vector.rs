//! The vectors' data format. `schema.json` says the same to other languages, `README.md` what it means.

use std::{collections::BTreeMap, fs, io, path::Path};

use policy_core::slot::Slot;
use refrain_document::ready;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    policy::PolicySpec,
    schema::{Expect, failure_kinds, one_input, ready_made},
};

/// One file of vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VectorFile {
    /// What the vectors in it are about.
    pub about: String,
    /// The vectors.
    pub vectors: Vec<Vector>,
}

/// One vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = one_input()))]
pub struct Vector {
    /// Unique among all vectors.
    pub id: String,
    /// Where it comes from: a section, a repository, an issue.
    pub source: String,
    /// What it shows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The ready-made policy that decides, by its name; then there is no `policy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ready_made()))]
    pub ready_made: Option<String>,
    /// The policy that decides.
    #[serde(default, skip_serializing_if = "is_default")]
    pub policy: PolicySpec,
    /// Read one Retry-After value. A vector has exactly one of `parse`, `steps` and `run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parse: Option<Parse>,
    /// Call the state machine, step by step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Steps>,
    /// Let the simple host of the runner contract carry out whole requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<Script>>,
    /// What must come out. Members that are left out are not compared; a vector with `steps` has it in each step.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schemars(with = "Expect")]
    pub expect: Map<String, Value>,
}

/// What baking the policy of a vector gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Baked {
    /// The slot.
    Slot(Box<Slot>),
    /// The policy is refused; why, in words.
    Refused(String),
}

impl Baked {
    fn of(slot: Slot) -> Self {
        Self::Slot(Box::new(slot))
    }
}

impl Vector {
    /// Bakes the policy that decides.
    ///
    /// # Errors
    /// A ready-made policy that there is not.
    pub fn bake(&self) -> Result<Baked, String> {
        let Some(name) = &self.ready_made else {
            return Ok(self.policy.slot().map_or_else(Baked::Refused, Baked::of));
        };
        let ready = ready::find(name).ok_or_else(|| format!("expected a ready-made policy, found `{name}`"))?;
        Ok(Baked::of(ready.document().slot()))
    }
}

/// A value to be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parse {
    /// The value as text, each character one byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The value as bytes, where it is not printable ASCII.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_hex: Option<String>,
    /// The wall clock, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<u64>,
}

/// Calls of the state machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// The request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub request: RequestSpec,
    /// The calls; the first is `start`.
    pub calls: Vec<Step>,
}

/// One call and what it must give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The call.
    pub call: Call,
    /// What has changed outside since the call before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub now: NowSpec,
    /// The 64 bytes of an execution, as 128 hexadecimal digits, that is handed over in place of the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<String>,
    /// What must come out; members that are left out are not compared.
    #[schemars(with = "Expect")]
    pub expect: Map<String, Value>,
}

/// A call of the state machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// Begin.
    Start,
    /// A response head arrived.
    Response(Response),
    /// An attempt failed.
    Failure(Failure),
    /// Anything else.
    Wake,
}

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// The attempt that it answers; the one in flight where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The status code.
    pub status: u16,
    /// Fields by name, each character one byte. Names that the policy does not ask for are not handed over.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// Sends that it cost.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub sends: u32,
    /// A nested layer gave up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub exhausted: bool,
}

/// A failure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The attempt that failed; the one in flight where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// What is known.
    #[schemars(extend("enum" = failure_kinds()))]
    pub kind: String,
    /// The attempt ran into its time-out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub timed_out: bool,
    /// Sends that it cost.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub sends: u32,
    /// A nested layer gave up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub exhausted: bool,
}

/// What is true outside. Numbers stand as JSON values, so that a vector can hold one that no host could mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "named as in `policy_core::Now`, where each is documented")]
pub struct NowSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Value>,
    /// `-1`: there is no wall clock any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<bool>,
    /// `unknown`, `up` or `down`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["unknown", "up", "down"]))]
    pub network: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Value>,
    /// Thousandths. Where it is left out, the tokens that the last step gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<u64>,
}

/// A request in a vector: by default a GET that may be sent again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "named as in `policy_core::Request`, where each is documented")]
pub struct RequestSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// `absent`, `sent` or `honoured`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["absent", "sent", "honoured"]))]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_wait: Option<u64>,
    #[serde(skip_serializing_if = "is_default")]
    pub attempts_used: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before: Option<u64>,
}

/// A script for the simple host: what each send brings, and what happens meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub request: RequestSpec,
    /// What the sends bring, in order.
    pub answers: Vec<Answer>,
    /// How many logical requests are made one after the other, sharing the retry budget.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub calls: u32,
    /// The random number of every call.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sample: u32,
    /// Thousandths of a token that the budget begins with; its capacity where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// The wall clock at the first call; none where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<u64>,
    /// The wall clock is set to another time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_jump: Option<WallJump>,
    /// When the caller cancels, in milliseconds from the first call; −1: before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_at: Option<i64>,
    /// When another session begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_at: Option<i64>,
    /// When the network goes down and comes back, in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network_at: Vec<u64>,
    /// The request runs inside an outer layer of the same policy with this many attempts, which it reports to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outer_attempts: Option<u32>,
}

/// A correction of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallJump {
    /// When, in milliseconds from the first call.
    pub at: u64,
    /// By how much, in milliseconds.
    pub by: i64,
}

/// What one send brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// A response…
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// … or a failure …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// … or the caller gives up while the attempt runs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cancel: bool,
    /// How long it takes, in milliseconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub took: u64,
    /// How many sends bring the same.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub times: u32,
}

/// A case that is no vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// The case.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// Reads every vector file of a folder, in the order of their names.
///
/// # Errors
/// A folder or file that cannot be read, or is not in the format; the message names it.
pub fn load_all(folder: &Path) -> io::Result<Vec<(String, VectorFile)>> {
    let mut names: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    names.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    names.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = serde_json::from_slice(&fs::read(path)?)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("`{name}`: {error}")))?;
        Ok((name, file))
    };
    names.iter().map(read).collect()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_one(value: &u32) -> bool {
    *value == 1
}
