//! The text of the ES modules.

use base64::{Engine, prelude::BASE64_STANDARD};
use refrain_document::{Artifact, BudgetScope, Document, HostSettings, KeyForm};
use serde_json::{Value, json};

/// A file to be written.
pub(super) struct File {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// The form in which the module stands in the source.
pub(super) fn inline(artifact: &Artifact) -> [File; 2] {
    let name = artifact.slot().name();
    let script = format!(
        "{head}\
         import {{ bundledEngine }} from \"@refrain/fetch/pinned\";\n\
         \n\
         {digests}\
         /** The core module, a byte a character: {SHIFT} higher, and 256 more where that could not stand in a string. */\n\
         const CORE =\n  \"{core}\";\n\
         \n\
         /** The core module. */\n\
         export const bytes = () => Uint8Array.from(CORE, (character) => character.charCodeAt(0) - {SHIFT});\n\
         \n\
         /** The policy. */\n\
         export const policy = {{\n  \
           host: {host},\n  \
           engine: () => bundledEngine(new WebAssembly.Module(bytes()), {description}),\n\
         }};\n",
        head = head(artifact),
        digests = digests(artifact),
        core = characters(artifact.core_module()),
        host = host(artifact),
        description = description(artifact),
    );
    let types = types(artifact, "Uint8Array<ArrayBuffer>", "Engine");
    [file(format!("{name}.inline.js"), script), file(format!("{name}.inline.d.ts"), types)]
}

/// The form in which the module is a file of its own.
pub(super) fn separate(artifact: &Artifact) -> [File; 3] {
    let name = artifact.slot().name();
    let script = format!(
        "{head}\
         import {{ bundledEngine, fetchModule }} from \"@refrain/fetch/pinned\";\n\
         \n\
         {digests}\
         /** Downloads the core module; another one than this is refused. */\n\
         export const bytes = () =>\n  \
           fetchModule(new URL(\"./{name}.core.wasm\", import.meta.url), \"sha256-{integrity}\");\n\
         \n\
         /** The policy. */\n\
         export const policy = {{\n  \
           host: {host},\n  \
           engine: async () => bundledEngine(await WebAssembly.compile(await bytes()), {description}),\n\
         }};\n",
        head = head(artifact),
        digests = digests(artifact),
        integrity = BASE64_STANDARD.encode(artifact.core_digest().0),
        host = host(artifact),
        description = description(artifact),
    );
    let types = types(artifact, "Promise<BufferSource>", "Promise<Engine>");
    let core = File { name: format!("{name}.core.wasm"), bytes: artifact.core_module().to_vec() };
    [file(format!("{name}.js"), script), file(format!("{name}.d.ts"), types), core]
}

fn types(artifact: &Artifact, bytes: &str, engine: &str) -> String {
    format!(
        "{head}\
         import type {{ BundledPolicy, Engine }} from \"@refrain/fetch/engine\";\n\
         \n\
         /** SHA-256 of the artifact. */\n\
         export declare const artifactSha256: string;\n\
         /** SHA-256 of the core module in it; `sha256` of `@refrain/fetch/pinned` computes that of `bytes`. */\n\
         export declare const coreSha256: string;\n\
         /** The core module. */\n\
         export declare const bytes: () => {bytes};\n\
         /** The policy. */\n\
         export declare const policy: BundledPolicy<{engine}>;\n",
        head = head(artifact),
    )
}

fn head(artifact: &Artifact) -> String {
    let slot = artifact.slot();
    format!("// The policy {} {}, written by `refrain bundle`. Not to be edited.\n\n", slot.name(), slot.version())
}

fn digests(artifact: &Artifact) -> String {
    format!(
        "/** SHA-256 of the artifact. */\n\
         export const artifactSha256 = \"{}\";\n\
         /** SHA-256 of the core module in it. */\n\
         export const coreSha256 = \"{}\";\n\
         \n",
        artifact.digest(),
        artifact.core_digest()
    )
}

/// What the document says to hosts, as the package's `HostSettings`, without what is false. A template's default policy has
/// no document, and sends no key.
fn host(artifact: &Artifact) -> Value {
    let settings = artifact.document().map(Document::host);
    let key = settings.and_then(|settings| settings.key.as_ref());
    let mut host = json!({
        "key": key.map(|key| match key.form {
            KeyForm::Bare => json!({ "name": key.name }),
            KeyForm::Quoted => json!({ "name": key.name, "quoted": true }),
        }),
        "budget": match settings.map_or(BudgetScope::default(), |settings: &HostSettings| settings.budget) {
            BudgetScope::Policy => "policy",
            BudgetScope::Host => "host",
            BudgetScope::Key => "key",
        },
    });
    if settings.is_some_and(|settings| settings.session_required) {
        host["sessionRequired"] = true.into();
    }
    host
}

/// Who the policy is, as the package's `Description`: what the module itself would say of it.
fn description(artifact: &Artifact) -> Value {
    let (slot, policy) = (artifact.slot(), artifact.slot().policy());
    json!({
        "name": slot.name(),
        "version": slot.version(),
        "fields": policy.fields().collect::<Vec<_>>(),
        "budget": policy.budget().map(|budget| budget.capacity.thousandths()),
        "maxAttempts": policy.rules().max_attempts,
    })
}

fn file(name: String, text: String) -> File {
    File { name, bytes: text.into_bytes() }
}

/// How much higher than its byte a character is: so many of the bytes that a module has most then are ASCII, which is one byte
/// long in UTF-8. Compressed, the text is a twentieth longer than the module; in base64 it is a quarter longer.
const SHIFT: u8 = 38;

/// Bytes as the characters of a string, each shifted, and 256 higher where the character could not stand in a string or
/// be seen. What reads them takes the low eight bits and shifts back.
fn characters(bytes: &[u8]) -> String {
    let character = |byte: &u8| match byte.wrapping_add(SHIFT) {
        high @ (b'"' | b'\\' | 0..0x20 | 0x7f..=0xa0 | 0xad) => char::from_u32(0x100 + u32::from(high)),
        byte => Some(char::from(byte)),
    };
    bytes.iter().filter_map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_the_low_eight_bits_of_its_character_shifted_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = characters(&bytes);
        let read: Vec<u8> = text.chars().map(|character| (u32::from(character) as u8).wrapping_sub(SHIFT)).collect();
        assert_eq!(read, bytes);
        let hidden = |character: char| character.is_control() || "\"\\\u{a0}\u{ad}\u{2028}\u{2029}".contains(character);
        assert!(!text.contains(hidden), "{text}");
    }
}
