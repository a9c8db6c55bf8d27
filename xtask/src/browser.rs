//! The browser host's npm package: the dynamic engine, the ready-made policies, the checks.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, anyhow, bail};
use refrain_document::ready;
use wasm_bindgen_cli_support::Bindgen;

use crate::{guest, node, pages, shell, toolchain};

/// What the compiler may use; every engine of the last years has it, and `wasm-opt` is told so.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// The types of the dynamic engine: the one generated file that is committed, so that the sources can be checked without it.
const TYPES: &str = "src/generated/dynamic.d.ts";

/// Needs a library of types that a project may not have chosen, and nobody disposes of a policy.
const DISPOSE: &str = "    [Symbol.dispose](): void;\n";

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
    dynamic()?;
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
    let types = package().join(TYPES);
    let committed = shell::read(&types)?;
    let slots = slots(&build()?)?;
    if shell::read(&types)? != committed {
        bail!("`hosts/browser/{TYPES}` differed from what the sources give, and was written anew: commit it");
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

/// Builds the dynamic engine into the sources of the package.
fn dynamic() -> Result<()> {
    toolchain::target(guest::TRIPLE)?;
    println!("building the dynamic engine (a minute the first time)");
    let (workspace, target) = (shell::workspace(), shell::target());
    shell::run(
        shell::cargo()
            .args([
                "build",
                "--quiet",
                "--package",
                "refrain-dynamic",
                "--profile",
                "dynamic",
                "--target",
                guest::TRIPLE,
            ])
            .env("CARGO_ENCODED_RUSTFLAGS", guest::nameless(&workspace)?.join("\u{1f}"))
            .env_remove("RUSTFLAGS"),
    )?;
    let bound = target.join("refrain/dynamic");
    Bindgen::new()
        .input_path(target.join(guest::TRIPLE).join("dynamic/refrain_dynamic.wasm"))
        .out_name("dynamic")
        .web(true)
        .and_then(|bindgen| bindgen.typescript(true).omit_default_module_path(true).generate(&bound))
        .map_err(|error| anyhow!("{error:#}"))
        .context("cannot make the glue of the dynamic engine")?;
    let generated = package().join("src/generated");
    shell::write(&generated.join("dynamic.js"), &shell::read(&bound.join("dynamic.js"))?)?;
    let types = String::from_utf8(shell::read(&bound.join("dynamic.d.ts"))?)?;
    shell::write(&package().join(TYPES), types.replace(DISPOSE, "").as_bytes())?;
    let (whole, small) = (bound.join("dynamic_bg.wasm"), bound.join("dynamic.wasm"));
    let mut optimise = node::program(&package(), "wasm-opt");
    shell::run(optimise.arg("-Oz").args(FEATURES).arg(&whole).arg("--output").arg(&small))?;
    shell::write(&generated.join("dynamic.wasm"), &shell::read(&small)?)
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
