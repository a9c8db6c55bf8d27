//! Files, folders and other programs, with errors that name them.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    // Where this crate was compiled, unless cargo says where it runs it from.
    let xtask = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    xtask.parent().map_or_else(|| xtask.clone(), Path::to_path_buf)
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    workspace().join(target)
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run `{}`", name(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a program that speaks for itself: if it fails, this one ends with its exit code and adds nothing.
pub(crate) fn pass_on(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run `{}`", name(command)))?;
    if !status.success() {
        std::process::exit(status.code().unwrap_or(1));
    }
    Ok(())
}

/// What a program prints, without the white space around it.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run `{}`", name(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed ({}): {}", line(command), output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))
}

/// Writes a file and the folders above it, unless it already has these bytes.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .with_context(|| format!("cannot write `{}`", path.display()))
}

/// Writes a generated file, or fails if `check` is set and the committed one differs; `again` is the command to run then.
pub(crate) fn write_or_check(path: &Path, text: &str, check: bool, again: &str) -> Result<()> {
    let name = path.strip_prefix(workspace()).unwrap_or(path).display();
    if !check {
        write(path, text.as_bytes())?;
        println!("{name} is up to date");
        return Ok(());
    }
    match fs::read_to_string(path) {
        Ok(old) if old == text => println!("{name} is up to date"),
        Ok(_) => bail!("`{name}` differs from what `wit/` gives: run `{again}` and commit the result"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!("`{name}` is missing: run `{again}` and commit the result")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read `{name}`")),
    }
    Ok(())
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn line(command: &Command) -> String {
    let args = command.get_args().map(|arg| arg.to_string_lossy());
    std::iter::once(command.get_program().to_string_lossy()).chain(args).collect::<Vec<_>>().join(" ")
}
