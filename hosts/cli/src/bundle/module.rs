//! The text of the ES modules.

use base64::{Engine, prelude::BASE64_STANDARD};
use refrain_document::{Artifact, BudgetScope, Document, HostSettings, KeyForm};
use serde_json::{Value, json};

use super::text;

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
         /** The core module, a byte a character and the spaces before it. */\n\
         const CORE =\n  \"{core}\";\n\
         \n\
         /** The core module. */\n\
         export const bytes = () =>\n  {reader};\n\
         \n\
         /** The policy. */\n\
         export const policy = {{\n  \
           host: {host},\n  \
           engine: () => bundledEngine(new WebAssembly.Module(bytes()), {description}),\n\
         }};\n",
        head = head(artifact),
        digests = digests(artifact),
        core = text::written(artifact.core_module()),
        reader = text::reader("CORE"),
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
