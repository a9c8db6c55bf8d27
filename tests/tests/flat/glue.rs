//! A host without a component runtime: it calls the core module as `wit/LAYOUT.md` says, and knows nothing else.

use std::sync::Mutex;

use policy_core::{
    Bound, Command, End, Event, Field, HandOver, HintReport, IdempotencyKey, Mark, Method, Millis, Network, Now,
    Outcome, Request, Resume, Tokens, UnixMillis, Wait, retry_after::RetryAfter,
};
use refrain::{Description, Engine, EngineError, State, Step};
use wasmtime::{Func, Instance, Memory, Module, Store, TypedFunc};

use crate::layout::{Block, Layout};

/// The words of an execution.
const WORDS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// An engine over one instance of a core module.
pub(crate) struct Flat {
    layout: &'static Layout,
    instance: Mutex<Running>,
    description: Description,
}

/// An instance.
pub(crate) struct Running {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
    realloc: TypedFunc<(u32, u32, u32, u32), u32>,
}

impl Running {
    pub(crate) fn new(module: &[u8]) -> Self {
        let mut store = Store::default();
        let module = Module::new(store.engine(), module).unwrap();
        let instance = Instance::new(&mut store, &module, &[]).unwrap();
        let memory = instance.get_memory(&mut store, "memory").unwrap();
        let realloc = instance.get_typed_func(&mut store, "cabi_realloc").unwrap();
        Self { store, instance, memory, realloc }
    }

    /// Memory for parameters; `None` is a refusal.
    pub(crate) fn place(&mut self, bytes: &[u8], align: usize) -> Option<u32> {
        let (size, align) = (u32::try_from(bytes.len()).unwrap(), u32::try_from(align).unwrap());
        let at = self.realloc.call(&mut self.store, (0, 0, align, size)).unwrap();
        let place = self.memory.data_mut(&mut self.store).get_mut(at as usize..)?.get_mut(..bytes.len())?;
        place.copy_from_slice(bytes);
        Some(at)
    }

    fn function(&mut self, export: &str) -> Func {
        self.instance.get_func(&mut self.store, export).unwrap_or_else(|| panic!("no export `{export}`"))
    }

    fn read(&self, at: usize, len: usize) -> &[u8] {
        &self.memory.data(&self.store)[at..at + len]
    }

    fn text(&self, (at, len): (usize, usize)) -> String {
        String::from_utf8(self.read(at, len).to_vec()).unwrap()
    }

    fn call_block(&mut self, layout: &Layout, block: &Block<'_>, heading: &str) -> Result<usize, EngineError> {
        let at = self.place(&block.bytes, layout.block(heading).1).ok_or_else(refused)?;
        let function = self.function(layout.export(heading)).typed::<u32, u32>(&self.store).unwrap();
        let result = function.call(&mut self.store, at);
        result.map(|at| at as usize).map_err(|error| EngineError::Trapped(error.to_string()))
    }
}

fn refused() -> EngineError {
    EngineError::LimitReached("no memory for the parameters".into())
}

impl Flat {
    pub(crate) fn new(module: &[u8]) -> Self {
        let layout = Layout::read();
        let mut running = Running::new(module);
        let describe = running.function(layout.export("describe")).typed::<(), u32>(&running.store).unwrap();
        let at = describe.call(&mut running.store, ()).unwrap() as usize;
        let result = Block::of(layout, "describe", running.read(at, layout.result("describe")));
        let (first, count) = result.get_list("result.fields");
        let (size, _) = layout.block("string");
        let field = |index| {
            let element = Block::of(layout, "string", running.read(first + index * size, size));
            running.text(element.get_list("element"))
        };
        let (policy, policy_len) = result.get_list("result.policy");
        let description = Description {
            name: running.text(result.get_list("result.name")),
            version: running.text(result.get_list("result.version")),
            fields: (0..count).map(field).collect(),
            budget: result
                .get_option("result.budget")
                .map(|tokens| Tokens::from_thousandths(tokens.try_into().unwrap())),
            policy: running.read(policy, policy_len).to_vec(),
        };
        Self { layout, instance: Mutex::new(running), description }
    }

    fn step(&self, running: &Running, heading: &str, at: usize) -> Result<Step, EngineError> {
        let result = Block::of(self.layout, heading, running.read(at, self.layout.result(heading)));
        let command = match result.get_case("result.command") {
            "keep" => Command::Keep,
            "send" => Command::Send {
                attempt: result.get_u32("result.command.send.attempt"),
                timeout: result.get_option("result.command.send.timeout").map(Millis::new),
            },
            "wait" => Command::Wait(wait(&result)?),
            "await-network" => Command::AwaitNetwork { until: Mark::new(result.get("result.command.await-network")) },
            "finish" => Command::Finish(outcome(&result)?),
            other => panic!("no such command: {other}"),
        };
        Ok(Step {
            state: State(WORDS.map(|word| result.get(&format!("result.execution.{word}")))),
            tokens: Tokens::from_thousandths(result.get_u32("result.tokens")),
            command,
        })
    }
}

impl Engine for Flat {
    fn description(&self) -> &Description {
        &self.description
    }

    fn parse(&self, value: &[u8], now: Option<UnixMillis>) -> Result<Result<RetryAfter, HintReport>, EngineError> {
        let mut running = self.instance.lock().unwrap();
        let at = if value.is_empty() { 0 } else { running.place(value, 1).ok_or_else(refused)? };
        let parameters =
            (at, u32::try_from(value.len()).unwrap(), u32::from(now.is_some()), now.map_or(0, UnixMillis::get));
        let function = running.function(self.layout.export("parse"));
        let function = function.typed::<(u32, u32, u32, u64), u32>(&running.store).unwrap();
        let at = function.call(&mut running.store, parameters).unwrap() as usize;
        let result = Block::of(self.layout, "parse", running.read(at, self.layout.result("parse")));
        if result.get_case("result") == "err" {
            return hint(result.get_u16("result.err")).map(Err);
        }
        Ok(Ok(match result.get_case("result.ok") {
            "delay-seconds" => RetryAfter::DelaySeconds(result.get("result.ok.delay-seconds")),
            _ => RetryAfter::At(result.get("result.ok.at").cast_signed()),
        }))
    }

    fn start(&self, request: &Request, now: &Now) -> Result<Step, EngineError> {
        let mut block = Block::new(self.layout, "start");
        put_request(&mut block, request);
        put_now(&mut block, now);
        let mut running = self.instance.lock().unwrap();
        let at = running.call_block(self.layout, &block, "start")?;
        self.step(&running, "start", at)
    }

    fn handle(&self, state: &State, event: Event<'_>, now: &Now) -> Result<Step, EngineError> {
        let mut running = self.instance.lock().unwrap();
        let mut block = Block::new(self.layout, "handle");
        for (word, value) in WORDS.iter().zip(state.0) {
            block.put(&format!("execution.{word}"), value);
        }
        match event {
            Event::Wake => block.put_case("event", "wake"),
            Event::Failure { of, kind, timed_out } => {
                block.put_case("event", "failure");
                put_attempt(&mut block, "event.failure.of", of);
                block.put_case("event.failure.kind", kind.name());
                block.put_bool("event.failure.timed-out", timed_out);
            }
            Event::Response { of, status, fields } => {
                block.put_case("event", "response");
                put_attempt(&mut block, "event.response.of", of);
                block.put("event.response.status", status);
                let at = put_fields(&mut running, self.layout, fields).ok_or_else(refused)?;
                block.put_list("event.response.fields", at, fields.len());
            }
        }
        put_now(&mut block, now);
        let at = running.call_block(self.layout, &block, "handle")?;
        self.step(&running, "handle", at)
    }
}

fn put_request(block: &mut Block<'_>, request: &Request) {
    let method = match request.method {
        Method::Other => "other".to_owned(),
        known => known.name().to_lowercase(),
    };
    block.put_case("request.method", &method);
    let key = match request.key {
        IdempotencyKey::Absent => "absent",
        IdempotencyKey::Sent => "sent",
        IdempotencyKey::Honoured => "honoured",
    };
    block.put_case("request.key", key);
    block.put_bool("request.replayable", request.replayable);
    block.put_option("request.limits.max-attempts", request.limits.max_attempts.map(u64::from));
    block.put_option("request.limits.deadline", request.limits.deadline.map(Millis::get));
    block.put_option("request.limits.max-wait", request.limits.max_wait.map(Millis::get));
    block.put("request.attempts-used", request.attempts_used);
    block.put_option("request.not-before", request.not_before.map(Mark::get));
}

fn put_now(block: &mut Block<'_>, now: &Now) {
    block.put("now.mark", now.mark.get());
    block.put_option("now.wall", now.wall.map(UnixMillis::get));
    block.put("now.session", now.session.get());
    block.put_bool("now.cancelled", now.cancelled);
    let network = match now.network {
        Network::Unknown => "unknown",
        Network::Up => "up",
        Network::Down => "down",
    };
    block.put_case("now.network", network);
    block.put("now.sample", now.sample.get());
    block.put("now.tokens", now.tokens.thousandths());
    block.put_option("now.hold", now.hold.map(Mark::get));
}

fn put_attempt(block: &mut Block<'_>, path: &str, of: policy_core::Attempt) {
    block.put(&format!("{path}.number"), of.number);
    block.put(&format!("{path}.sends"), of.sends);
    block.put_bool(&format!("{path}.exhausted"), of.exhausted);
}

/// Where the list lies; the pointer of an empty one is not read, nor is that of an empty value: a null would be taken for
/// no value at all.
fn put_fields(running: &mut Running, layout: &Layout, fields: &[Field<'_>]) -> Option<u32> {
    const NOWHERE: u32 = u32::MAX;
    const NULL: u32 = 0;
    let mut list = Vec::new();
    for field in fields {
        let at = if field.value.is_empty() { NULL } else { running.place(field.value, layout.block("u8").1)? };
        let mut element = Block::new(layout, "field");
        element.put("element.index", field.index);
        element.put_list("element.value", at, field.value.len());
        list.extend(element.bytes);
    }
    if list.is_empty() { Some(NOWHERE) } else { running.place(&list, layout.block("field").1) }
}

fn wait(result: &Block<'_>) -> Result<Wait, EngineError> {
    Ok(Wait {
        until: Mark::new(result.get("result.command.wait.until")),
        delay: Millis::new(result.get("result.command.wait.delay")),
        retry_index: result.get_u32("result.command.wait.retry-index"),
        bound: bound(result.get_u16("result.command.wait.bound"))?,
        hint: hint(result.get_u16("result.command.wait.hint"))?,
    })
}

fn outcome(result: &Block<'_>) -> Result<Outcome, EngineError> {
    let path = |name: &str| format!("result.command.finish.{name}");
    let end = result.get_u16(&path("end"));
    let resume = result.get_case(&path("resume")) == "some";
    Ok(Outcome {
        end: End::from_code(end).ok_or_else(|| EngineError::Unknown(format!("the end code {end}")))?,
        bound: bound(result.get_u16(&path("bound")))?,
        hint: hint(result.get_u16(&path("hint")))?,
        attempts: result.get_u32(&path("attempts")),
        maybe_applied: result.get_case(&path("maybe-applied")) == "true",
        hand_over: match result.get_case(&path("hand-over")) {
            "this" => HandOver::This,
            "abort" => HandOver::Abort,
            _ => HandOver::LastStatus(result.get_u16(&path("hand-over.last-status"))),
        },
        resume: resume.then(|| Resume {
            delay: Millis::new(result.get(&path("resume.some.delay"))),
            not_before: result.get_option(&path("resume.some.not-before")).map(UnixMillis::new),
            attempts_used: result.get_u32(&path("resume.some.attempts-used")),
        }),
    })
}

fn bound(code: u16) -> Result<Bound, EngineError> {
    Bound::from_code(code).ok_or_else(|| EngineError::Unknown(format!("the bound code {code}")))
}

fn hint(code: u16) -> Result<HintReport, EngineError> {
    HintReport::from_code(code).ok_or_else(|| EngineError::Unknown(format!("the hint code {code}")))
}
