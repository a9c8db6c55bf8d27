//! What the runners share.

use std::path::Path;

use conformance::{Maker, check, load_all};

/// Runs every vector; fails with each that does not come out as it says.
pub(crate) fn check_all(maker: &mut dyn Maker) {
    let files = load_all(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors"))).unwrap();
    let vectors = || files.iter().flat_map(|(_, file)| &file.vectors);
    let failed: Vec<_> = vectors().filter_map(|vector| check(maker, vector).err()).collect();
    println!("{} vectors", vectors().count());
    let listed: Vec<_> = failed.iter().map(ToString::to_string).collect();
    assert!(failed.is_empty(), "{} vectors failed:\n\n{}", failed.len(), listed.join("\n\n"));
}
