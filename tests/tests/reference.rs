//! The shipped component, whose bindings are our own, against the reference component, whose bindings are by
//! `wit-bindgen`: the same answers, bit for bit.

use std::{
    collections::{HashMap, HashSet},
    env, fs,
    path::Path,
    sync::Arc,
    thread,
};

use conformance::{Component, Maker, Vector, load_all, observe};
use policy_core::{
    Attempt, Event, FailureKind, Field, IdempotencyKey, Limits, Mark, Method, Millis, Network, Now, Request, Sample,
    Session, Tokens, UnixMillis,
    retry_after::RetryAfter,
    slot::{self, SLOT_LEN, Slot},
};
use proptest::{
    collection::vec,
    option::weighted,
    prelude::*,
    sample::select,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use refrain::{Engine, EngineError, State, Step};
use refrain_wasmtime::{Artifact, WasmtimeEngine};
use serde_json::{Map, Value};

/// Random executions use policies of the vectors, but not each: it is compiled, which costs far more than a decision.
const POLICIES: usize = 30;
const EXECUTIONS_EACH: u32 = 100;

#[test]
fn every_vector_has_the_same_observations_in_both() {
    let vectors = vectors();
    let (shipped, reference) = thread::scope(|scope| {
        let shipped = scope.spawn(|| observations(&mut shipped(), &vectors));
        let reference = observations(&mut Reference::find(), &vectors);
        (shipped.join().unwrap(), reference)
    });
    for (vector, (shipped, reference)) in vectors.iter().zip(shipped.iter().zip(&reference)) {
        assert!(shipped.is_ok(), "`{}`: {shipped:?}", vector.id);
        assert_eq!(shipped, reference, "`{}`", vector.id);
    }
}

fn observations(maker: &mut dyn Maker, vectors: &[Vector]) -> Vec<Result<Vec<Map<String, Value>>, String>> {
    vectors.iter().map(|vector| observe(maker, vector)).collect()
}

#[test]
fn random_calls_have_the_same_answers_in_both() {
    let (mut shipped, mut reference) = (shipped(), Reference::find());
    // The same input in every run.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config = Config { cases: EXECUTIONS_EACH, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    for slot in policies() {
        let (shipped, reference) = (shipped.make(&slot).unwrap(), reference.make(&slot).unwrap());
        let same = runner.run(&input(), |input| {
            let answers = input.answers(&*shipped);
            prop_assert!(answers.is_ok(), "{answers:?}");
            prop_assert_eq!(answers, input.answers(&*reference));
            Ok(())
        });
        same.unwrap_or_else(|error| panic!("{:?}: {error}", slot.policy().rules()));
    }
}

/// Policies from all over the vectors.
fn policies() -> Vec<Slot> {
    let mut seen = HashSet::new();
    let slots = vectors().into_iter().filter_map(|vector| vector.policy.slot().ok());
    let slots: Vec<_> = slots.filter(|slot| seen.insert(slot.to_bytes())).collect();
    assert!(slots.len() >= POLICIES, "only {} policies", slots.len());
    slots.iter().step_by(slots.len() / POLICIES).copied().collect()
}

fn vectors() -> Vec<Vector> {
    let files = load_all(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors"))).unwrap();
    files.into_iter().flat_map(|(_, file)| file.vectors).collect()
}

fn shipped() -> Component {
    Component::find().unwrap_or_else(|error| panic!("{error}"))
}

/// The reference component, each policy baked into it.
struct Reference {
    bytes: Vec<u8>,
    engines: HashMap<[u8; SLOT_LEN], Arc<dyn Engine>>,
}

impl Reference {
    /// The file that `REFRAIN_REFERENCE_COMPONENT` names, else the one in the target folder.
    fn find() -> Self {
        let workspace = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        let path = match env::var_os("REFRAIN_REFERENCE_COMPONENT") {
            Some(path) => path.into(),
            None => workspace.join(target).join("refrain/reference.wasm"),
        };
        let bytes = fs::read(&path).unwrap_or_else(|error| {
            panic!("cannot read the component `{}` ({error}); `cargo xtask test tests` builds it", path.display())
        });
        let maker = b"wit-bindgen-rust";
        let made = bytes.windows(maker.len()).any(|window| window == maker);
        assert!(made, "expected `{}` to say that wit-bindgen made its bindings", path.display());
        Self { bytes, engines: HashMap::new() }
    }
}

impl Maker for Reference {
    fn make(&mut self, slot: &Slot) -> Result<Arc<dyn Engine>, String> {
        let engine = self.engines.entry(slot.to_bytes()).or_insert_with(|| {
            let mut bytes = self.bytes.clone();
            slot::bake(&mut bytes, slot).unwrap();
            Arc::new(WasmtimeEngine::new(&Artifact::load(bytes).unwrap()).unwrap())
        });
        Ok(Arc::clone(engine))
    }
}

/// A value to parse, and an execution of a few calls.
#[derive(Clone, Debug)]
struct Input {
    value: Vec<u8>,
    request: Request,
    first: Now,
    calls: Vec<(Heard, Option<State>, Now)>,
}

/// An event that owns its fields.
#[derive(Clone, Debug)]
enum Heard {
    Response { of: Attempt, status: u16, fields: Vec<(u8, Vec<u8>)> },
    Failure { of: Attempt, kind: FailureKind, timed_out: bool },
    Wake,
}

type Answers = (Result<RetryAfter, policy_core::HintReport>, Vec<Step>);

impl Input {
    fn answers(&self, engine: &dyn Engine) -> Result<Answers, EngineError> {
        let parsed = engine.parse(&self.value, self.first.wall)?;
        let mut step = engine.start(&self.request, &self.first)?;
        let mut steps = vec![step];
        for (heard, state, now) in &self.calls {
            step = heard.tell(engine, &state.unwrap_or(step.state), now)?;
            steps.push(step);
        }
        Ok((parsed, steps))
    }
}

impl Heard {
    fn tell(&self, engine: &dyn Engine, state: &State, now: &Now) -> Result<Step, EngineError> {
        match self {
            Self::Response { of, status, fields } => {
                let fields: Vec<_> = fields.iter().map(|(index, value)| Field { index: *index, value }).collect();
                engine.handle(state, Event::Response { of: *of, status: *status, fields: &fields }, now)
            }
            Self::Failure { of, kind, timed_out } => {
                engine.handle(state, Event::Failure { of: *of, kind: *kind, timed_out: *timed_out }, now)
            }
            Self::Wake => engine.handle(state, Event::Wake, now),
        }
    }
}

fn input() -> impl Strategy<Value = Input> {
    let state = weighted(0.05, any::<[u64; 8]>().prop_map(State));
    (value(), request(), now(), vec((heard(), state, now()), 0..8)).prop_map(|(value, request, first, calls)| Input {
        value,
        request,
        first,
        calls,
    })
}

/// As long as the boundary lets it be.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let texts = ["120", "60, 060", "Wed, 01 Jan 2025 00:00:20 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "1e3", "-5"];
    prop_oneof![
        select(texts.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        any::<u64>().prop_map(|seconds| seconds.to_string().into_bytes()),
        vec(any::<u8>(), 0..=1_024),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let keys = [IdempotencyKey::Absent, IdempotencyKey::Sent, IdempotencyKey::Honoured];
    let limits = (weighted(0.3, 0..9_u32), weighted(0.3, span()), weighted(0.3, span()));
    (select(Method::ALL.to_vec()), select(keys.to_vec()), any::<bool>(), limits, 0..3_u32, weighted(0.2, span()))
        .prop_map(|(method, key, replayable, (max_attempts, deadline, max_wait), attempts_used, not_before)| Request {
            method,
            key,
            replayable,
            limits: Limits { max_attempts, deadline: deadline.map(Millis::new), max_wait: max_wait.map(Millis::new) },
            attempts_used,
            not_before: not_before.map(Mark::new),
        })
}

fn now() -> impl Strategy<Value = Now> {
    let network = select(vec![Network::Unknown, Network::Up, Network::Down]);
    let session = prop_oneof![20 => Just(1), 1 => any::<u64>()];
    let cancelled = prop::bool::weighted(0.02);
    let wall = weighted(0.7, prop_oneof![1_735_689_600_000..1_735_689_660_000_u64, any::<u64>()]);
    (span(), wall, session, cancelled, network, any::<u32>(), any::<u32>(), weighted(0.2, span())).prop_map(
        |(mark, wall, session, cancelled, network, sample, tokens, hold)| Now {
            mark: Mark::new(mark),
            wall: wall.map(UnixMillis::new),
            session: Session::new(session),
            cancelled,
            network,
            sample: Sample::new(sample),
            tokens: Tokens::from_thousandths(tokens),
            hold: hold.map(Mark::new),
        },
    )
}

/// Milliseconds.
fn span() -> impl Strategy<Value = u64> {
    prop_oneof![9 => 0..100_000_u64, 1 => any::<u64>()]
}

fn heard() -> impl Strategy<Value = Heard> {
    let attempt = || {
        let sends = prop_oneof![9 => 0..3_u32, 1 => any::<u32>()];
        (0..4_u32, sends, prop::bool::weighted(0.05)).prop_map(|(number, sends, exhausted)| Attempt {
            number,
            sends,
            exhausted,
        })
    };
    let status = prop_oneof![8 => select(vec![200, 404, 408, 429, 500, 503]), 1 => any::<u16>()];
    // From none to one too many; mostly one that the policy has asked for.
    let fields = prop_oneof![4 => vec((Just(0_u8), value()), 0..2), 1 => vec((any::<u8>(), value()), 0..18)];
    prop_oneof![
        4 => (attempt(), status, fields).prop_map(|(of, status, fields)| Heard::Response { of, status, fields }),
        2 => (attempt(), select(FailureKind::ALL.to_vec()), any::<bool>())
            .prop_map(|(of, kind, timed_out)| Heard::Failure { of, kind, timed_out }),
        2 => Just(Heard::Wake),
    ]
}
