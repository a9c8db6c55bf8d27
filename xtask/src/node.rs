//! Node, its packages and Chromium: asked first, installed only where they are missing.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::shell;

/// The oldest version that runs the browser host and its tools.
const OLDEST: u32 = 20;

/// A program that a package of `folder` brings.
pub(crate) fn program(folder: &Path, name: &str) -> Command {
    let mut command = with_node(folder.join("node_modules/.bin").join(name));
    command.current_dir(folder);
    command
}

/// A script of the package in `folder`.
pub(crate) fn script(folder: &Path, name: &str) -> Command {
    let mut command = with_node("npm");
    command.args(["run", "--silent", name]).current_dir(folder);
    command
}

/// Installs Node where it is missing, and the packages that the lock file of `folder` names unless they are there.
pub(crate) fn packages(folder: &Path) -> Result<()> {
    ensure_node()?;
    let lock = folder.join("package-lock.json");
    let locked = shell::read(&lock)?;
    check_addresses(&locked).with_context(|| format!("in `{}`", lock.display()))?;
    let installed = folder.join("node_modules/.installed");
    if fs::read(&installed).is_ok_and(|installed| installed == locked) {
        return Ok(());
    }
    println!("installing the packages of `{}`: npm ci", folder.display());
    shell::run(with_node("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(folder))?;
    shell::write(&installed, &locked)
}

/// A lock file that says where each package was downloaded once is of no use where that cannot be reached.
fn check_addresses(locked: &[u8]) -> Result<()> {
    let addresses = String::from_utf8_lossy(locked).matches("\"resolved\": \"http").count();
    ensure!(addresses == 0, "expected no download address, found {addresses}; `.npmrc` beside it keeps them out");
    Ok(())
}

/// Installs Chromium where it is missing.
pub(crate) fn chromium() -> Result<()> {
    const NEEDED: &str = "Chromium is needed; on Debian: `apt-get install chromium`";
    if env::var_os("REFRAIN_CHROMIUM").is_some() || Path::new("/usr/bin/chromium").exists() {
        return Ok(());
    }
    println!("installing Chromium: apt-get install chromium");
    apt(&["chromium"]).context(NEEDED)
}

fn apt(packages: &[&str]) -> Result<()> {
    shell::run(Command::new("apt-get").arg("update").arg("--quiet"))?;
    shell::run(Command::new("apt-get").args(["install", "--yes", "--no-install-recommends"]).args(packages))
}

fn ensure_node() -> Result<()> {
    const NEEDED: &str = "Node 20 or newer and npm are needed; on Debian 13: `apt-get install nodejs npm`";
    if version().is_err() || shell::output(Command::new("npm").arg("--version")).is_err() {
        println!("installing Node: apt-get install nodejs npm");
        apt(&["nodejs", "npm"]).context(NEEDED)?;
    }
    if version().context(NEEDED)? < OLDEST {
        // Debian 12 has Node 18, and npm has Node.
        println!("installing Node {OLDEST}: npm install node@{OLDEST}");
        let folder = home();
        fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        let install = ["install", "--no-audit", "--no-fund", "--prefix"];
        let package = format!("node@{OLDEST}");
        shell::run(Command::new("npm").args(install).arg(&folder).arg(package)).context(NEEDED)?;
    }
    let version = version().context(NEEDED)?;
    if version < OLDEST { bail!("{NEEDED}; found Node {version}") } else { Ok(()) }
}

/// Where a Node is installed if the machine's own is too old.
fn home() -> PathBuf {
    shell::target().join("node")
}

/// The folder of that Node's program; it is looked into first.
fn newer() -> PathBuf {
    home().join("node_modules/node/bin")
}

/// A program that is, or starts, Node.
fn with_node(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if newer().exists() {
        let rest = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(newer()).chain(env::split_paths(&rest));
        if let Ok(path) = env::join_paths(folders) {
            command.env("PATH", path);
        }
    }
    command
}

/// The first number of Node's version.
fn version() -> Result<u32> {
    let text = shell::output(with_node("node").arg("--version"))?;
    let first = text.trim_start_matches('v').split('.').next().unwrap_or_default();
    first.parse().with_context(|| format!("expected a version such as `v20.0.0` from `node --version`, found `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_with_a_download_address_is_refused_and_a_folder_is_none() {
        assert!(check_addresses(br#""link": true, "resolved": "../hosts/browser""#).is_ok());
        let error = check_addresses(br#""resolved": "https://example.org/a.tgz""#).unwrap_err();
        assert!(error.to_string().starts_with("expected no download address, found 1"), "{error}");
    }
}
