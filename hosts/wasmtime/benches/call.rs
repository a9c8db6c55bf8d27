//! What one call costs: nothing at all, crossing the boundary with the parameters of `handle`, and a decision.

#![allow(missing_docs)]

#[allow(dead_code)]
#[path = "../src/limits.rs"]
mod limits;
#[path = "../tests/wasmtime/made.rs"]
mod made;
#[allow(dead_code)]
#[path = "../tests/wasmtime/real.rs"]
mod real;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use policy_core::{
    Attempt, Event, Field, Mark, Method, Network, Now, Request, Rules, Sample, Session, Tokens, UnixMillis,
};
use refrain::{DirectEngine, Engine, State};
use refrain_document::{Document, Format, artifact::pin};
use refrain_wasmtime::{Artifact, WasmtimeEngine};
use wasmtime::{
    Store,
    component::{Component, Instance, Linker},
};

use crate::limits::Limits;

/// Ten seconds before the date in the field.
const NOW: Now = Now {
    mark: Mark::new(1_000),
    wall: Some(UnixMillis::new(784_111_767_000)),
    session: Session::new(1),
    cancelled: false,
    network: Network::Unknown,
    sample: Sample::ONE,
    tokens: Tokens::ZERO,
    hold: None,
};

const BUSY: Event<'static> = Event::Response {
    of: Attempt::single(1),
    status: 503,
    fields: &[Field { index: 0, value: b"Sun, 06 Nov 1994 08:49:37 GMT" }],
};

/// Other numbers than those of the default, and the same to look at.
const DOCUMENT: &str = r#"
    schema = 1
    name = "pinned"
    version = "1.0.0"
    limits = { max_attempts = 7, deadline = "5m", max_wait = "90s" }
    backoff = { base = "700ms", multiplier = 1.5, cap = "45s" }
    retry.statuses = [425, 429, "502-504"]
"#;

criterion_group!(benches, calls, instances);
criterion_main!(benches);

fn calls(criterion: &mut Criterion) {
    let (engine, direct) = real::engines(Rules::DEFAULT);
    let nothing = WasmtimeEngine::new(&Artifact::load(made::KEEP.encode()).unwrap()).unwrap();
    let state = direct.start(&Request::new(Method::Get), &NOW).unwrap().state;

    let mut group = criterion.benchmark_group("component");
    let (mut store, instance) = instantiate(&Empty::new());
    let empty = instance.get_typed_func::<(), ()>(&mut store, "f").unwrap();
    group.bench_function("empty call", |bench| {
        bench.iter(|| {
            store.set_fuel(limits::FUEL).unwrap();
            empty.call(&mut store, ()).unwrap();
        });
    });
    group.bench_function("no-op with the signature of handle", |bench| bench.iter(|| handle(&nothing, &state)));
    group.bench_function("handle", |bench| bench.iter(|| handle(&engine, &state)));
    let (pinned, direct_pinned) = pinned();
    let pinned_state = direct_pinned.start(&Request::new(Method::Get), &NOW).unwrap().state;
    group.bench_function("handle, another policy pinned", |bench| bench.iter(|| handle(&pinned, &pinned_state)));
    group.bench_function("handle, core linked in", |bench| bench.iter(|| handle(&direct, &state)));
    group.finish();
}

/// The component with another policy, as `refrain pin` makes it, and the same policy linked in.
fn pinned() -> (WasmtimeEngine, DirectEngine) {
    let document = Document::parse(DOCUMENT, Format::Toml).unwrap();
    let artifact = Artifact::load(pin(&real::component(), &document).unwrap()).unwrap();
    (WasmtimeEngine::new(&artifact).unwrap(), DirectEngine::from_slot(&document.slot()))
}

fn handle(engine: &impl Engine, state: &State) {
    let _ = black_box(engine.handle(black_box(state), black_box(BUSY), black_box(&NOW)).unwrap());
}

/// A component with nothing but an empty function, compiled as every other.
struct Empty(wasmtime::component::InstancePre<Limits>);

impl Empty {
    fn new() -> Self {
        Self::compile(
            r#"(component
                (core module $m (func (export "f")))
                (core instance $i (instantiate $m))
                (func (export "f") (canon lift (core func $i "f"))))"#
                .as_bytes(),
        )
    }

    fn compile(bytes: &[u8]) -> Self {
        let engine = wasmtime::Engine::new(&limits::config()).unwrap();
        let component = Component::new(&engine, wat::parse_bytes(bytes).unwrap()).unwrap();
        Self(Linker::new(&engine).instantiate_pre(&component).unwrap())
    }
}

fn instantiate(component: &Empty) -> (Store<Limits>, Instance) {
    let mut store = Store::new(component.0.engine(), Limits);
    store.limiter(|limits| limits);
    let instance = component.0.instantiate(&mut store).unwrap();
    (store, instance)
}

fn instances(criterion: &mut Criterion) {
    let component = Empty::compile(&real::component());
    criterion.bench_function("component/instantiate", |bench| bench.iter(|| instantiate(&component)));
}
