//! The versions of the interface: what a change to it costs.

use anyhow::{Context, Result, ensure};
use semver::Version;
use wit_component::WitPrinter;
use wit_parser::{PackageName, Resolve};

use crate::shell;

/// Compares the interface with the one that was last released.
pub(crate) fn check() -> Result<()> {
    let read = |path| String::from_utf8(shell::read(&shell::workspace().join(path))?).context("the interface");
    compare(&read("wit/released/policy.wit")?, &read("wit/policy.wit")?).context("`wit/policy.wit`")?;
    println!("the interface is the released one, or its version says how it differs");
    Ok(())
}

/// Whether the version of `current` says what has changed since `released`.
fn compare(released: &str, current: &str) -> Result<()> {
    let (old, new) = (Interface::parse(released)?, Interface::parse(current)?);
    let versions = || format!("released {}, now {}", old.version, new.version);
    ensure!(new.version >= old.version, "expected a version above the released one: {}", versions());
    if old.text == new.text {
        return Ok(());
    }
    ensure!(new.version > old.version, "the interface differs from the released one, so its version has to rise");
    if PackageName::version_compat_track(&old.version) != PackageName::version_compat_track(&new.version) {
        return Ok(());
    }
    let mut both = Resolve::default();
    let mut world = |text| -> Result<_> {
        let package = both.push_source("policy.wit", text)?;
        both.select_world(&[package], None)
    };
    let (old_world, new_world) = (world(released)?, world(current)?);
    // The world only exports: where the old one is expected, a component of the new one has to fit.
    wit_component::semver_check(both, new_world, old_world).with_context(|| {
        format!("a component of this interface does not fit a host of the released one; {}", versions())
            + ", expected a new major version"
    })?;
    let series = |version: &Version| (version.major, version.minor);
    ensure!(
        series(&new.version) > series(&old.version),
        "the interface has something new, expected a new minor version: {}",
        versions()
    );
    Ok(())
}

/// A package of the interface.
struct Interface {
    version: Version,
    /// The package without its version and its comments, in one layout.
    text: String,
}

impl Interface {
    fn parse(text: &str) -> Result<Self> {
        let mut resolve = Resolve::default();
        let id = resolve.push_source("policy.wit", text)?;
        let package = resolve.packages.get_mut(id).context("a package is missing")?;
        let version = package.name.version.take().context("expected a version in the package line")?;
        let mut printer = WitPrinter::default();
        printer.emit_docs(false).print(&resolve, id, &[])?;
        Ok(Self { version, text: printer.output.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use refrain_document::artifact;

    use super::*;
    use crate::wit;

    const RELEASED: &str = "package a:b@1.2.3;
        interface i {
            /// One thing.
            record r { x: u32 }
            f: func(r: r) -> u32;
            g: func();
        }
        world w { export i; }";

    /// What is said of the released text with `from` replaced by `to`, under another version.
    fn judged(version: &str, from: &str, to: &str) -> Result<(), String> {
        assert!(RELEASED.contains(from), "{from}");
        let current = RELEASED.replace("1.2.3", version).replace(from, to);
        compare(RELEASED, &current).map_err(|error| format!("{error:#}"))
    }

    fn assert_refused(judged: Result<(), String>, expected: &str) {
        let error = judged.expect_err("it is refused");
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn the_interface_says_in_its_version_how_it_differs_from_the_released_one() {
        check().unwrap();
    }

    #[test]
    fn artifacts_are_of_the_world_and_interface_that_wit_has() {
        let (resolve, id) = wit::load(&shell::workspace()).unwrap();
        let world = &resolve.worlds[id];
        let package = world.package.unwrap();
        assert_eq!(resolve.packages[package].name.to_string(), artifact::WIT);
        assert_eq!(resolve.id_of_name(package, &world.name), artifact::WORLD);
        let exports: Vec<_> = world.exports.keys().map(|key| resolve.name_world_key(key)).collect();
        assert_eq!(exports, [artifact::INTERFACE]);
    }

    #[test]
    fn comments_change_freely_and_without_a_change_any_later_version_is_fine() {
        assert_eq!(judged("1.2.3", "One thing.", "Another."), Ok(()));
        assert_eq!(judged("1.2.3", "/// One thing.", "// None."), Ok(()));
        for version in ["1.2.3", "1.2.4", "1.3.0", "2.0.0"] {
            assert_eq!(judged(version, "", ""), Ok(()), "{version}");
        }
        assert_refused(judged("1.2.2", "", ""), "expected a version above the released one: released 1.2.3, now 1.2.2");
    }

    #[test]
    fn any_change_raises_the_version() {
        for (from, to) in [("g: func();", ""), ("x: u32", "x: u64"), ("g: func();", "g: func(); h: func();")] {
            assert_refused(judged("1.2.3", from, to), "its version has to rise");
        }
    }

    #[test]
    fn what_a_host_of_the_released_version_misses_needs_a_new_major_version() {
        for (from, to) in [
            ("g: func();", ""),
            ("g: func();", "g: func() -> u32;"),
            ("x: u32", "x: u64"),
            ("x: u32", "x: u32, y: u32"),
            ("record r { x: u32 }", "record r { z: u32 }"),
            ("world w { export i; }", "world w { }"),
            ("world w { export i; }", "interface j { h: func(); } world w { import j; export i; }"),
        ] {
            for version in ["1.2.4", "1.3.0"] {
                assert_refused(judged(version, from, to), "expected a new major version");
            }
            assert_eq!(judged("2.0.0", from, to), Ok(()), "{from}: {to}");
        }
    }

    #[test]
    fn an_addition_needs_a_new_minor_version() {
        for (from, to) in [
            ("g: func();", "g: func(); @since(version = 1.3.0) h: func();"),
            ("g: func();", "g: func(); type t = u32;"),
            ("world w { export i; }", "interface j { h: func(); } world w { export i; export j; }"),
        ] {
            assert_refused(judged("1.2.4", from, &to.replace("1.3.0", "1.2.4")), "expected a new minor version");
            assert_eq!(judged("1.3.0", from, to), Ok(()), "{to}");
        }
    }
}
