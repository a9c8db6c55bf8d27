//! What the web demo computes: the crate in `web-demo/lab`, and the component that it bakes policies into.

use anyhow::{Result, bail};

use crate::{bindgen::Module, browser, guest, node, shell};

fn module() -> Module<'static> {
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

/// The same, and fails if the types that are committed differ.
pub(crate) fn check() -> Result<()> {
    let committed = shell::read(&module().types())?;
    build()?;
    if shell::read(&module().types())? != committed {
        bail!("`web-demo/src/generated/lab.d.ts` differed from what the sources give, and was written anew: commit it");
    }
    Ok(())
}
