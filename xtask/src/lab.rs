//! What the web demo computes: the crate in `web-demo/lab`, and the component that it bakes policies into.

use anyhow::Result;

use crate::{bindgen::Module, browser, guest, node, shell};

/// The crate.
pub(crate) fn module() -> Module<'static> {
    Module {
        package: "refrain-lab",
        profile: "lab",
        name: "lab",
        level: "-O3",
        folder: shell::workspace().join("web-demo/src/generated"),
    }
}

/// Builds both into the sources of the web demo.
pub(crate) fn build() -> Result<()> {
    node::packages(&browser::package())?;
    let component = guest::build_here()?.component;
    println!("building the simulator for the browser (a minute the first time)");
    let module = module();
    module.build()?;
    shell::write(&module.folder.join("component.wasm"), &component)?;
    println!("wrote {}", module.folder.display());
    Ok(())
}
