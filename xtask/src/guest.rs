//! The policy component: compile the guest, bake the default policy, wrap the module as a component.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, anyhow};
use policy_core::slot;
use refrain_document::{Digest, artifact};
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding};

use crate::{check_guest, compact::compact, shell, suite, toolchain, wit};

/// What the guest is compiled for.
pub(crate) const TRIPLE: &str = "wasm32-unknown-unknown";

/// The environment variable that tells programs and tests where the component stands.
pub(crate) const COMPONENT: &str = "REFRAIN_COMPONENT";

/// The environment variable that tells tests where the reference component stands.
pub(crate) const REFERENCE: &str = "REFRAIN_REFERENCE_COMPONENT";

/// One page of memory and no more. The stack lies below the data, so that running out of it traps; it is several times what
/// all functions together take, and no longer, since low addresses take fewer bytes. Numbers that the linker fills in take the
/// bytes that they need; else each takes five.
const LINK_ARGS: [&str; 5] =
    ["--initial-memory=65536", "--max-memory=65536", "--stack-first", "-zstack-size=2048", "--compress-relocations"];

/// What is built.
pub(crate) struct Artifact {
    /// The core module.
    pub(crate) core: Vec<u8>,
    /// The component, which contains the core module byte for byte, and a section that names the conformance suite: what
    /// `refrain pin` takes as its template.
    pub(crate) component: Vec<u8>,
}

impl Artifact {
    /// Where the component stands.
    pub(crate) fn component_path() -> PathBuf {
        shell::target().join("refrain/refrain.wasm")
    }

    /// Where the core module stands.
    pub(crate) fn core_path() -> PathBuf {
        shell::target().join("refrain/refrain.core.wasm")
    }

    /// Prints sizes and digests.
    pub(crate) fn print(&self) {
        for (name, bytes) in [("component", &self.component), ("core module", &self.core)] {
            println!("{name:12} {:>6} bytes  sha256 {}", bytes.len(), Digest::of(bytes));
        }
    }
}

/// Builds the component and says where it is.
pub(crate) fn run() -> Result<()> {
    let artifact = build_here()?;
    println!("wrote {}", Artifact::component_path().display());
    println!("wrote {}", Artifact::core_path().display());
    artifact.print();
    Ok(())
}

/// Builds this workspace's component into this workspace's target folder.
pub(crate) fn build_here() -> Result<Artifact> {
    toolchain::target(TRIPLE)?;
    println!("building the policy component (a few seconds the first time)");
    let artifact = build(&shell::workspace(), &shell::target())?;
    shell::write(&Artifact::core_path(), &artifact.core)?;
    shell::write(&Artifact::component_path(), &artifact.component)?;
    Ok(artifact)
}

/// Builds the reference component, which has its bindings from `wit-bindgen`, and says where it is. For tests only.
pub(crate) fn build_reference() -> Result<PathBuf> {
    toolchain::target(TRIPLE)?;
    println!("building the reference component, with bindings by wit-bindgen (half a minute the first time)");
    let mut core = compile(&shell::workspace(), &shell::target(), "reference-guest")?;
    bake_default(&mut core)?;
    // It says itself what it exports: a second opinion on that too.
    let encoder = ComponentEncoder::default().module(&core).context("the reference guest is no guest")?;
    let component = encoder.validate(true).encode().context("cannot wrap the reference guest as a component")?;
    check_guest::check_component(&component).context("the reference component")?;
    let path = shell::target().join("refrain/reference.wasm");
    shell::write(&path, &component)?;
    println!("reference core module: {} bytes", compact(&core)?.len());
    Ok(path)
}

/// Builds the component of the workspace in `workspace`; what cargo makes on the way goes to `target`.
pub(crate) fn build(workspace: &Path, target: &Path) -> Result<Artifact> {
    let mut core = compact(&compile(workspace, target, "wasm-guest")?)?;
    bake_default(&mut core)?;
    let component = artifact::template(&encode(workspace, &core)?, suite::digest(workspace)?)?;
    Ok(Artifact { core, component })
}

fn compile(workspace: &Path, target: &Path, package: &str) -> Result<Vec<u8>> {
    shell::run(
        shell::cargo()
            .args(["build", "--quiet", "--package", package, "--profile", "guest", "--target", TRIPLE])
            .current_dir(workspace)
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_ENCODED_RUSTFLAGS", flags(workspace)?.join("\u{1f}"))
            .env_remove("RUSTFLAGS"),
    )?;
    let module = format!("guest/{}.wasm", package.replace('-', "_"));
    shell::read(&target.join(TRIPLE).join(module))
}

fn flags(workspace: &Path) -> Result<Vec<String>> {
    let links = LINK_ARGS.iter().map(|arg| format!("-Clink-arg={arg}"));
    Ok(links.chain(nameless(workspace)?).collect())
}

/// The compiler's flags that keep every path of this machine out of the bytes.
pub(crate) fn nameless(workspace: &Path) -> Result<Vec<String>> {
    let sysroot = shell::output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(workspace))?;
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let mut flags = Vec::new();
    flags.extend(cargo_home.map(|home| remap(&home, "/cargo")));
    flags.push(remap(Path::new(&sysroot), "/rust"));
    flags.push(remap(&fs::canonicalize(workspace)?, "/refrain"));
    Ok(flags)
}

fn put_leb128(out: &mut Vec<u8>, mut value: usize) {
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A sound default, for when nobody bakes another policy.
fn bake_default(core: &mut [u8]) -> Result<()> {
    let slot = artifact::default_slot(env!("CARGO_PKG_VERSION"))?;
    slot::bake(core, &slot).context("cannot bake the default policy")
}

fn encode(workspace: &Path, core: &[u8]) -> Result<Vec<u8>> {
    let (resolve, world) = wit::load(workspace)?;
    let mut described = core.to_vec();
    wit_component::embed_component_metadata(&mut described, &resolve, world, StringEncoding::UTF8)?;
    let encoder = ComponentEncoder::default().module(&described).context("the guest does not fit the interface")?;
    let component = encoder.validate(true).encode().context("cannot wrap the guest as a component")?;
    with_core(&component, core)
}

/// A component with exactly this core module in it, and no custom section: the encoder leaves its name in both, and then
/// the module would have another digest inside the component than beside it.
fn with_core(component: &[u8], core: &[u8]) -> Result<Vec<u8>> {
    let mut whole = component.get(..8).ok_or_else(|| anyhow!("the encoded component is none"))?.to_vec();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload.context("the encoded component is none")?;
        // Modules and components inside come as a section, and then with all that stands in them.
        let is_outermost = depth == 0;
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_custom = matches!(payload, Payload::CustomSection(_));
        let Some((id, range)) = payload.as_section().filter(|_| is_outermost && !is_custom) else { continue };
        let bytes = match payload {
            Payload::ModuleSection { .. } => core,
            _ => component.get(range).ok_or_else(|| anyhow!("the encoded component is cut off"))?,
        };
        whole.push(id);
        put_leb128(&mut whole, bytes.len());
        whole.extend_from_slice(bytes);
    }
    Ok(whole)
}
