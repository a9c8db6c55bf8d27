//! What the component promises to those who load it, checked on the bytes.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use flate2::{Compression, write::GzEncoder};
use policy_core::slot::{self, MAGIC};
use refrain_document::{
    Digest,
    artifact::{Contents, INTERFACE},
};
use wasmparser::{MemoryType, Parser, Payload, Validator, WasmFeatures};

use crate::{
    guest::{self, Artifact},
    ratchet, shell, suite,
};

/// Most bytes of the core module.
pub(crate) const CORE_LIMIT: usize = 14 * 1024;

/// Most bytes that the component adds to the core module.
pub(crate) const WRAPPER_LIMIT: usize = 7 * 1024;

/// Most bytes of the core module as a browser fetches it, compressed by gzip.
pub(crate) const GZIP_LIMIT: usize = 6 * 1024;

#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Record the sizes as they are: for a change that is worth its bytes. Commit `xtask/sizes.json` with it.
    #[arg(long)]
    accept: bool,
}

/// Builds the component and checks everything.
pub(crate) fn run(options: &Options) -> Result<()> {
    let artifact = guest::build_here()?;
    artifact.print();
    check(&artifact)?;
    println!("imports nothing, exports {INTERFACE}, contains its core module, has one page, one slot and one section");
    check_sizes(&artifact, options.accept)?;
    check_reproducible()
}

fn check(artifact: &Artifact) -> Result<()> {
    let Artifact { core, component } = artifact;
    for (name, bytes) in [("core module", core), ("component", component)] {
        Validator::new_with_features(WasmFeatures::WASM2 | WasmFeatures::COMPONENT_MODEL)
            .validate_all(bytes)
            .with_context(|| format!("the {name} is not valid"))?;
        let slots = bytes.windows(MAGIC.len()).filter(|window| *window == MAGIC).count();
        ensure!(slots == 1, "expected one policy slot in the {name}, found {slots}");
        slot::find(bytes).with_context(|| format!("the slot of the {name}"))?;
    }
    ensure!(
        Contents::read(component)?.core_module()? == core,
        "expected the core module to stand in the component byte for byte"
    );
    check_core(core).context("the core module")?;
    check_component(component).context("the component")?;
    let section = Contents::read(component)?.section()?.ok_or_else(|| anyhow!("expected a section `refrain`"))?;
    ensure!(section.document().is_none(), "expected a section without a document in the template");
    let suite = suite::digest(&shell::workspace())?;
    ensure!(section.suite() == suite, "expected the suite `{suite}` in the section, found `{}`", section.suite());
    Ok(())
}

fn check_core(core: &[u8]) -> Result<()> {
    let mut memories = Vec::new();
    for payload in Parser::new(0).parse_all(core) {
        match payload? {
            Payload::ImportSection(imports) => bail!("expected no import, found {}", imports.count()),
            Payload::MemorySection(found) => memories.extend(found.into_iter().collect::<Result<Vec<_>, _>>()?),
            Payload::CustomSection(section) => bail!("expected no custom section, found `{}`", section.name()),
            _ => {}
        }
    }
    match memories[..] {
        [MemoryType { initial: 1, maximum: Some(1), .. }] => Ok(()),
        _ => bail!("expected one memory of exactly one page, found {memories:?}"),
    }
}

/// One export, the interface, and no import.
pub(crate) fn check_component(component: &[u8]) -> Result<()> {
    let contents = Contents::read(component)?;
    contents.imports_nothing()?;
    contents.exports_the_interface()?;
    contents.slot()?;
    Ok(())
}

/// Sizes only grow on purpose.
fn check_sizes(artifact: &Artifact, accept: bool) -> Result<()> {
    let Artifact { core, component } = artifact;
    let sizes = [("core", core.len()), ("core_gzip", gzip_len(core)?), ("component", component.len())];
    let [(_, core), (_, gzip), (_, component)] = sizes;
    let wrapper = component - core;
    println!("core module {core} bytes, {gzip} by gzip; the component adds {wrapper}");
    ensure!(core <= CORE_LIMIT, "expected a core module of at most {CORE_LIMIT} bytes, found {core}");
    ensure!(gzip <= GZIP_LIMIT, "expected a core module of at most {GZIP_LIMIT} bytes by gzip, found {gzip}");
    ensure!(wrapper <= WRAPPER_LIMIT, "expected the component to add at most {WRAPPER_LIMIT} bytes, found {wrapper}");
    ratchet::hold(&sizes, accept, "cargo xtask check-guest --accept")
}

/// How many bytes gzip makes of `bytes` where it takes its time.
pub(crate) fn gzip_len(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

/// Builds the last commit in two folders of different length and depth.
fn check_reproducible() -> Result<()> {
    println!("building the last commit in two other folders (some seconds each)");
    let scratch = Scratch::new()?;
    let digests = ["a", "a-longer/and/deeper/b"].map(|folder| {
        let folder = scratch.0.join(folder);
        shell::run(Command::new("git").args(["clone", "--quiet", "--shared"]).arg(shell::workspace()).arg(&folder))?;
        let Artifact { core, component } = guest::build(&folder, &folder.join("target"))?;
        Ok::<_, anyhow::Error>((Digest::of(&core), Digest::of(&component)))
    });
    let [one, other] = digests;
    let (one, other) = (one?, other?);
    println!("core module  {}\n             {}", one.0, other.0);
    println!("component    {}\n             {}", one.1, other.1);
    ensure!(one == other, "expected the same bytes from both folders");
    println!("the same bytes from both folders");
    Ok(())
}

/// A folder that is gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("refrain-check-guest-{}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("cannot create `{}`", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Self(path) = self;
        if let Err(error) = fs::remove_dir_all(Path::new(path)) {
            eprintln!("cannot remove `{}`: {error}", path.display());
        }
    }
}
