//! The guest's bindings: what `wit-bindgen` makes of `wit/`, committed.
//!
//! Not the `wit-bindgen` crate: its build script links prebuilt archives, and a procedural macro leaves traces of the
//! machine that ran it in the bytes.

use anyhow::{Context, Result, anyhow};
use wit_bindgen_core::{Files, WorldGenerator};
use wit_bindgen_rust::Opts;

use crate::{shell, wit};

/// Writes the bindings, or compares them.
pub(crate) fn run(check: bool) -> Result<()> {
    let path = shell::workspace().join("wasm-guest/src/bindings.rs");
    shell::write_or_check(&path, &bindings()?, check, "cargo xtask generate")
}

fn bindings() -> Result<String> {
    let (mut resolve, world) = wit::load(&shell::workspace())?;
    let options = Opts {
        format: true,
        generate_all: true,
        runtime_path: Some("crate::rt".into()),
        // Both are for modules that link a C library.
        disable_run_ctors_once_workaround: true,
        disable_custom_section_link_helpers: true,
        ..Opts::default()
    };
    let mut files = Files::default();
    options.build().generate(&mut resolve, world, &mut files).context("cannot generate the guest's bindings")?;
    let (_, source) = files.iter().next().ok_or_else(|| anyhow!("the generator of bindings wrote no file"))?;
    String::from_utf8(source.to_vec()).context("the generated bindings are not text")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_bindings_are_those_of_the_interface() {
        super::run(true).unwrap();
    }
}
