//! Components made by hand: of the right world, with a `handle` of the test's choice.

use policy_core::{
    Policy, Rules,
    slot::{SLOT_LEN, Slot, policy_bytes, texts},
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Where the data segment begins: the slot, then what `describe` returns.
const DATA: u32 = 1_024;

/// Where a step may be written; all zero until then, which is the command `keep`.
const STEP: u32 = 8_192;

/// Where the step of `start` stands: the command `send`, attempt 1.
const SEND: u32 = 12_288;

/// A component to make. Its state and its step are what the bytes say: nothing decides.
pub(crate) struct Made<'a> {
    /// Pages of memory, 64 KiB each.
    pub(crate) pages: u32,
    /// Further definitions in the core module.
    pub(crate) definitions: &'a str,
    /// Gets a pointer to its parameters in local 0, of which the first 8 bytes are the first word of the state, and
    /// returns a pointer to a step.
    pub(crate) handle: &'a str,
}

/// A component that says `send`, and then always `keep`.
pub(crate) const KEEP: Made<'static> = Made { pages: 1, definitions: "", handle: "(i32.const 8192)" };

impl Made<'_> {
    /// The bytes of the component.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let Self { pages, definitions, handle } = self;
        encode(&format!(
            r#"(module
                (memory (export "memory") {pages})
                (global $free (mut i32) (i32.const 16384))
                (data (i32.const {DATA}) "{data}")
                (data (i32.const {SEND}) "{send}")
                (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                    (global.get $free)
                    (global.set $free
                        (i32.and (i32.add (i32.add (global.get $free) (local.get 3)) (i32.const 7)) (i32.const -8))))
                (func (export "refrain:policy/policy@1.0.0#describe") (result i32) (i32.const {description}))
                (func (export "refrain:policy/policy@1.0.0#parse") (param i32 i32 i32 i64) (result i32)
                    (global.set $free (i32.const 16384))
                    (i32.const {STEP}))
                (func (export "refrain:policy/policy@1.0.0#start") (param i32) (result i32)
                    (global.set $free (i32.const 16384))
                    (i32.const {SEND}))
                (func $handle (export "refrain:policy/policy@1.0.0#handle") (param i32) (result i32)
                    (global.set $free (i32.const 16384))
                    {handle})
                {definitions})"#,
            send = "\\00".repeat(72) + "\\01" + &"\\00".repeat(7) + "\\01",
            data = data().iter().map(|byte| format!("\\{byte:02x}")).collect::<String>(),
            description = DATA + SLOT_LEN as u32,
        ))
    }
}

/// The slot of every component here.
pub(crate) fn slot() -> Slot {
    Slot::new("made-by-hand", "1.0.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap()
}

/// The slot, and the record of `describe` that points into it.
fn data() -> Vec<u8> {
    let slot = slot();
    let fields: Vec<_> = slot.policy().fields().collect();
    let lists = DATA + SLOT_LEN as u32 + 40;
    let names = lists + 8 * fields.len() as u32;
    let (mut list, mut text) = (Vec::new(), Vec::new());
    for field in &fields {
        list.extend([names + text.len() as u32, field.len() as u32]);
        text.extend(field.bytes());
    }
    let bytes = slot.to_bytes();
    let part = |part: &[u8]| [DATA + (part.as_ptr() as usize - bytes.as_ptr() as usize) as u32, part.len() as u32];
    let (name, version) = texts(&bytes);
    let record = [
        part(name),
        part(version),
        [lists, fields.len() as u32],
        slot.policy().budget().map_or([0, 0], |budget| [1, budget.capacity.thousandths()]),
        part(policy_bytes(&bytes)),
    ];
    let words = record.into_iter().flatten().chain(list);
    let words: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    [&bytes[..], &words, &text].concat()
}

fn encode(module: &str) -> Vec<u8> {
    let mut module = wat::parse_str(module).unwrap();
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit")).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
}
