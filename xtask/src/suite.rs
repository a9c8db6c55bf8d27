//! The digest of the conformance suite that a component is built beside.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use refrain_document::Digest;

use crate::shell;

/// The digest of the vectors of a workspace, as `tests/README.md` defines it.
pub(crate) fn digest(workspace: &Path) -> Result<Digest> {
    let folder = workspace.join("tests/vectors");
    let mut names = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot read `{}`", folder.display()))? {
        let name = entry?.file_name().into_string();
        let name = name.map_err(|name| anyhow::anyhow!("expected names in UTF-8, found {name:?}"))?;
        names.extend(name.ends_with(".json").then_some(name));
    }
    ensure!(!names.is_empty(), "expected vectors in `{}`, found none", folder.display());
    names.sort_unstable();
    let lines = names.iter().map(|name| Ok(line(name, &shell::read(&folder.join(name))?)));
    Ok(Digest::of(lines.collect::<Result<String>>()?.as_bytes()))
}

/// A line as `sha256sum` prints it.
fn line(name: &str, bytes: &[u8]) -> String {
    format!("{}  {name}\n", Digest::of(bytes))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_digest_is_what_the_recipe_of_the_readme_prints() {
        let readme = shell::read(&shell::workspace().join("tests/README.md")).unwrap();
        let recipe = "cd tests/vectors && LC_ALL=C sha256sum *.json | sha256sum";
        assert!(String::from_utf8(readme).unwrap().contains(recipe), "the recipe is not in the readme");
        let printed = shell::output(Command::new("sh").args(["-c", recipe]).current_dir(shell::workspace())).unwrap();
        let printed = printed.split(' ').next().unwrap();
        assert_eq!(digest(&shell::workspace()).unwrap().to_string(), printed);
    }
}
