//! What a page downloads to send requests with: the browser host beside other packages, all by one bundler.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::{browser, check_guest, node, ratchet, shell};

/// Most bytes, compressed by gzip, that a page is expected to download for one `createFetch`: script and core module.
pub(crate) const LIMIT: usize = 9 * 1024;

/// The forms of the browser host that the limit is for, as `npm run size` names them, and their names among the recorded sizes.
const HELD: [(&str, &str); 2] = [("createFetch, inline", "page_inline"), ("createFetch, separate", "page_separate")];

/// A page, by what it is named after, and how many bytes it downloads, each file compressed by gzip.
pub(crate) struct Page {
    pub(crate) name: String,
    pub(crate) size: usize,
}

impl Page {
    /// The most bytes that it is expected to download, if there is a limit.
    pub(crate) fn limit(&self) -> Option<usize> {
        HELD.iter().any(|(name, _)| *name == self.name).then_some(LIMIT)
    }
}

/// Bundles all pages and weighs them. The package has to be built.
pub(crate) fn weigh() -> Result<Vec<Page>> {
    let folder = shell::target().join("refrain/pages");
    let mut size = node::script(&browser::package(), "size");
    shell::output(size.env("REFRAIN_PAGES", &folder))?;
    let mut pages = entries(&folder)?
        .iter()
        .map(|page| {
            // Compressed here: what Node makes of the same bytes differs from machine to machine.
            let sizes = entries(page)?.into_iter().map(|file| check_guest::gzip_len(&shell::read(&file)?));
            let name = page.file_name().context("a page without a name")?.to_string_lossy().into_owned();
            Ok(Page { name, size: sizes.sum::<Result<_>>()? })
        })
        .collect::<Result<Vec<_>>>()?;
    pages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(pages)
}

/// Compares what a page downloads for one `createFetch` with the limit, and with the recorded sizes, or records it.
pub(crate) fn hold(accept: bool) -> Result<()> {
    let pages = weigh()?;
    let mut sizes = Vec::new();
    for (name, recorded) in HELD {
        let page = pages.iter().find(|page| page.name == name);
        let page = page.with_context(|| format!("expected a page `{name}` from `npm run size`"))?;
        let size = page.size;
        println!("a page downloads {size} bytes for {name}, compressed; expected are at most {LIMIT}");
        ensure!(size <= LIMIT, "expected at most {LIMIT} bytes for {name}, found {size}");
        sizes.push((recorded, size));
    }
    ratchet::hold(&sizes, accept, "cargo xtask browser --accept")
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let cannot = || format!("cannot read `{}`", folder.display());
    fs::read_dir(folder).with_context(cannot)?.map(|entry| Ok(entry.with_context(cannot)?.path())).collect()
}
