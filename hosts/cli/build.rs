//! Puts the component that the environment variable `REFRAIN_COMPONENT` names into the binary; without it, none.

use std::{env, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=REFRAIN_COMPONENT");
    let component = match env::var_os("REFRAIN_COMPONENT") {
        Some(path) => read(Path::new(&path)),
        None => Vec::new(),
    };
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("component.wasm"), component).expect("cargo's OUT_DIR can be written");
}

fn read(path: &Path) -> Vec<u8> {
    println!("cargo:rerun-if-changed={}", path.display());
    fs::read(path).unwrap_or_else(|error| {
        panic!(
            "REFRAIN_COMPONENT: cannot read `{}` ({error}); `cargo xtask guest` builds the component",
            path.display()
        )
    })
}
