//! The browser host's npm package: the dynamic engine, the ready-made policies, the checks.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use refrain_document::ready;

use crate::{bindgen::Module, guest, node, pages, shell};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Record what a page downloads as it is: for a change that is worth its bytes. Commit `xtask/sizes.json` with it.
    #[arg(long)]
    accept: bool,
}

/// Builds all of the package: its dynamic engine, the ready-made policies, `dist`.
pub(crate) fn run(options: &Options) -> Result<()> {
    build()?;
    if options.accept { pages::hold(true) } else { Ok(()) }
}

/// Builds it, and returns where the programs are that it needed.
pub(crate) fn build() -> Result<PathBuf> {
    node::packages(&package())?;
    println!("building the dynamic engine (a minute the first time)");
    dynamic().build()?;
    let programs = programs()?;
    policies(&programs)?;
    shell::run(&mut node::script(&package(), "build"))?;
    println!("wrote {}", package().join("dist").display());
    Ok(programs)
}

/// Builds the package and measures what calls and decisions cost in Node and in Chromium. Writes a line of JSON each to `file`.
pub(crate) fn measure(quick: bool, file: &Path) -> Result<()> {
    node::chromium()?;
    build()?;
    let mut measure = node::script(&package(), "measure");
    if quick {
        measure.args(["--", "--quick"]);
    }
    shell::run(measure.env("REFRAIN_MEASURES", file))
}

/// Everything that CI checks of the package.
pub(crate) fn test() -> Result<()> {
    node::chromium()?;
    let types = dynamic().types();
    let committed = shell::read(&types)?;
    let slots = slots(&build()?)?;
    if shell::read(&types)? != committed {
        bail!(
            "`hosts/browser/src/generated/dynamic.d.ts` differed from what the sources give, and was written anew: commit it"
        );
    }
    pages::hold(false)?;
    shell::run(&mut node::script(&package(), "check"))?;
    let mut tests = node::script(&package(), "test");
    shell::run(tests.env("REFRAIN_CORE", guest::Artifact::core_path()).env("REFRAIN_SLOTS", slots))
}

/// The folder of the npm package.
pub(crate) fn package() -> PathBuf {
    shell::workspace().join("hosts/browser")
}

fn dynamic() -> Module<'static> {
    Module {
        package: "refrain-dynamic",
        profile: "dynamic",
        name: "dynamic",
        level: "-Oz",
        folder: package().join("src/generated"),
    }
}

/// Writes the ready-made policies as modules into the sources of the package.
fn policies(programs: &Path) -> Result<()> {
    let folder = package().join("src/generated/policies");
    let pinned = shell::target().join("refrain/policies");
    fs::create_dir_all(&pinned).with_context(|| format!("cannot make `{}`", pinned.display()))?;
    for name in ready::names() {
        let artifact = pinned.join(format!("{name}.wasm"));
        let refrain = || Command::new(programs.join("refrain"));
        shell::output(refrain().args(["pin", name, "--no-lock", "--output"]).arg(&artifact))?;
        shell::output(refrain().arg("bundle").arg(&artifact).args(["--no-lock", "--out"]).arg(&folder))?;
    }
    Ok(())
}

/// Writes the baked policy of each vector, for the runner in TypeScript.
fn slots(programs: &Path) -> Result<PathBuf> {
    let path = shell::target().join("refrain/slots.json");
    shell::write(&path, shell::output(&mut Command::new(programs.join("slots")))?.as_bytes())?;
    Ok(path)
}

/// Builds `refrain`, with the component in it, and `slots`, as `cargo xtask demo` does. Returns where they are.
fn programs() -> Result<PathBuf> {
    guest::build_here()?;
    println!("building the command line (the first time takes a few minutes: wasmtime is among what it needs)");
    let mut build = shell::cargo();
    build.args(["build", "--package", "refrain-cli", "--package", "conformance", "--bin", "refrain", "--bin", "slots"]);
    shell::run(build.env(guest::COMPONENT, guest::Artifact::component_path()))?;
    Ok(shell::target().join("debug"))
}
