//! Crates for JavaScript: a Wasm module, optimised, and the glue that `wasm-bindgen` makes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow};
use wasm_bindgen_cli_support::Bindgen;

use crate::{browser, guest, node, shell, toolchain};

/// What the compiler may use; every engine of the last years has it, and `wasm-opt` is told so.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Needs a library of types that a project may not have chosen, and nobody disposes of these objects.
const DISPOSE: &str = "    [Symbol.dispose](): void;\n";

/// A crate to build.
pub(crate) struct Module<'a> {
    /// The crate.
    pub(crate) package: &'a str,
    /// Its profile in `Cargo.toml`.
    pub(crate) profile: &'a str,
    /// What its files are called, before their endings.
    pub(crate) name: &'a str,
    /// How `wasm-opt` optimises.
    pub(crate) level: &'a str,
    /// Where its files go.
    pub(crate) folder: PathBuf,
}

impl Module<'_> {
    /// Builds it. The packages of the browser host have to be installed: they bring `wasm-opt`.
    pub(crate) fn build(&self) -> Result<()> {
        toolchain::target(guest::TRIPLE)?;
        let bound = shell::target().join("refrain").join(self.name);
        let name = self.name;
        let whole = bound.join(format!("{name}_bg.wasm"));
        let before = fs::read(&whole).ok();
        self.bind(&self.compile()?, &bound)?;
        let glue = format!("{name}.js");
        shell::write(&self.folder.join(&glue), &shell::read(&bound.join(&glue))?)?;
        let types = bound.join(format!("{name}.d.ts"));
        let types = String::from_utf8(shell::read(&types)?).context("the types are no text")?;
        shell::write(&self.types(), types.replace(DISPOSE, "").as_bytes())?;
        let optimised = bound.join(format!("{name}{}.wasm", self.level));
        // Optimising takes as long as compiling.
        if !optimised.exists() || before != Some(shell::read(&whole)?) {
            let mut optimise = node::program(&browser::package(), "wasm-opt");
            shell::run(optimise.arg(self.level).args(FEATURES).arg(&whole).arg("--output").arg(&optimised))?;
        }
        shell::write(&self.folder.join(format!("{name}.wasm")), &shell::read(&optimised)?)
    }

    /// The file of its types: the one that is committed, so that the sources can be checked without a build.
    pub(crate) fn types(&self) -> PathBuf {
        self.folder.join(format!("{}.d.ts", self.name))
    }

    /// Returns where the module is.
    fn compile(&self) -> Result<PathBuf> {
        let (workspace, target) = (shell::workspace(), shell::target());
        let Self { package, profile, .. } = self;
        shell::run(
            shell::cargo()
                .args(["build", "--quiet", "--package", package, "--profile", profile, "--target", guest::TRIPLE])
                .env("CARGO_ENCODED_RUSTFLAGS", guest::nameless(&workspace)?.join("\u{1f}"))
                .env_remove("RUSTFLAGS"),
        )?;
        Ok(target.join(guest::TRIPLE).join(profile).join(format!("{}.wasm", package.replace('-', "_"))))
    }

    fn bind(&self, module: &Path, into: &Path) -> Result<()> {
        Bindgen::new()
            .input_path(module)
            .out_name(self.name)
            .web(true)
            .and_then(|bindgen| bindgen.typescript(true).omit_default_module_path(true).generate(into))
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("cannot make the glue of `{}`", self.package))
    }
}
