//! Everything that CI checks, step by step.

use std::time::Instant;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::{browser, check_guest, conform, demo, generate, guest, layout, released, shell, toolchain, web};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only these steps, in this order.
    #[arg(value_enum)]
    steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// The sources are formatted.
    Format,
    /// The bindings and the layout table are what the WIT gives.
    Generated,
    /// The interface has the version that its changes since the last release ask for.
    Interface,
    /// The component: no imports, size, the same bytes from two folders.
    Component,
    /// The core compiles for a microcontroller and for iOS.
    CoreTargets,
    /// No lint, in the guest either.
    Lint,
    /// Every test, built as it ships.
    Tests,
    /// Every test again, under a foreign language and time zone.
    Foreign,
    /// The browser host: its types, every vector through both engines in Node and Chromium, and the package as bundlers take it.
    Browser,
    /// The web demo: its types, and each panel used as a person would in Chromium, with screenshots to look at.
    Web,
    /// The documentation builds without a broken link.
    Docs,
    /// The case collection beside the checkout, through both engines, where there is one. Only when named: the tests
    /// compare the vectors with it already, and this builds wasmtime once more.
    Cases,
    /// The main job runs to its end.
    Demo,
}

/// All packages but those that only a Wasm target links.
const NO_GUESTS: [&str; 4] = ["--exclude", "wasm-guest", "--exclude", "reference-guest"];

/// What of the native host is not built by default.
const NATIVE_FEATURES: &str = "refrain/document,refrain/http2,refrain/metrics,refrain/middleware,refrain/record,\
     refrain/rustls-tls,refrain/serde,refrain/testing,refrain/tower,refrain/tracing";

/// Runs the steps.
pub(crate) fn run(options: &Options) -> Result<()> {
    let all: Vec<Step> = Step::value_variants().iter().copied().filter(|step| *step != Step::Cases).collect();
    let steps = if options.steps.is_empty() { &all } else { &options.steps };
    let begun = Instant::now();
    for (at, step) in steps.iter().enumerate() {
        let name = step.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        println!("\n── {}/{} {name}", at + 1, steps.len());
        let step_begun = Instant::now();
        step.run().with_context(|| format!("step `{name}`; again: `cargo xtask test {name}`"))?;
        println!("── {name}: done in {:.0} s", step_begun.elapsed().as_secs_f64());
    }
    println!("\nall {} steps passed in {:.0} s", steps.len(), begun.elapsed().as_secs_f64());
    Ok(())
}

impl Step {
    fn run(self) -> Result<()> {
        match self {
            Self::Format => {
                toolchain::component("rustfmt", "fmt")?;
                shell::run(shell::cargo().args(["fmt", "--all", "--check"]))
            }
            Self::Generated => generate::run(true).and_then(|()| layout::run(true)),
            Self::Interface => released::check(),
            Self::Component => check_guest::run(&check_guest::Options::default()),
            Self::CoreTargets => core_targets(),
            Self::Lint => lint(),
            Self::Tests => tests(&[]),
            Self::Foreign => tests(&[
                ("LANG", "tr_TR.UTF-8"),
                ("LC_ALL", "ar_EG.UTF-8"),
                ("LANGUAGE", "tr"),
                ("TZ", "Asia/Kathmandu"),
            ]),
            Self::Browser => browser::test(),
            Self::Web => web::test(),
            Self::Docs => docs(),
            Self::Cases => cases(),
            Self::Demo => demo::run(&demo::Options::default()),
        }
    }
}

fn core_targets() -> Result<()> {
    for triple in ["thumbv7em-none-eabi", "aarch64-apple-ios"] {
        toolchain::target(triple)?;
        shell::run(shell::cargo().args(["check", "--package", "policy-core", "--lib", "--target", triple]))?;
    }
    Ok(())
}

fn lint() -> Result<()> {
    toolchain::component("clippy", "clippy")?;
    guest::build_here()?;
    let deny = ["--", "--deny", "warnings"];
    let mut hosts = shell::cargo();
    hosts.args(["clippy", "--workspace", "--all-targets", "--all-features"]).args(NO_GUESTS);
    shell::run(hosts.args(deny).env(guest::COMPONENT, guest::Artifact::component_path()))?;
    let guests = ["clippy", "--package", "wasm-guest", "--package", "reference-guest", "--target", guest::TRIPLE];
    shell::run(shell::cargo().args(guests).args(deny))
}

fn tests(environment: &[(&str, &str)]) -> Result<()> {
    guest::build_here()?;
    let reference = guest::build_reference()?;
    let mut command = shell::cargo();
    command
        .args(["test", "--workspace", "--exclude", "xtask", "--release", "--features", NATIVE_FEATURES])
        .args(NO_GUESTS);
    command.env(guest::COMPONENT, guest::Artifact::component_path()).env(guest::REFERENCE, reference);
    shell::run(command.envs(environment.iter().copied()))?;
    // As it runs here; in a release build it would only be compiled again.
    shell::run(shell::cargo().args(["test", "--package", "xtask"]).envs(environment.iter().copied()))
}

fn docs() -> Result<()> {
    let arguments = ["doc", "--workspace", "--exclude", "xtask", "--no-deps", "--features", NATIVE_FEATURES];
    shell::run(shell::cargo().args(arguments).args(NO_GUESTS).env("RUSTDOCFLAGS", "--deny warnings"))
}

fn cases() -> Result<()> {
    let folder = shell::workspace().join("../shared/cases");
    if !folder.is_dir() {
        println!("no case collection beside the checkout; the imported vectors stand in for it");
        return Ok(());
    }
    conform::Engine::value_variants().iter().try_for_each(|engine| conform::judge(&folder, *engine))
}
