//! Sizes that only grow on purpose: none may be above what `xtask/sizes.json` says of it.

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Map, Value};

use crate::shell;

/// Compares sizes with the recorded ones, or records them; `again` is the command that does so.
pub(crate) fn hold(sizes: &[(&str, usize)], accept: bool, again: &str) -> Result<()> {
    let path = shell::workspace().join("xtask/sizes.json");
    let mut recorded: Map<String, Value> =
        serde_json::from_slice(&shell::read(&path)?).context("`xtask/sizes.json`")?;
    if !accept {
        return sizes.iter().try_for_each(|(name, size)| compare(&recorded, name, *size, again));
    }
    recorded.extend(sizes.iter().map(|(name, size)| ((*name).to_owned(), Value::from(*size))));
    shell::write(&path, format!("{:#}\n", Value::Object(recorded)).as_bytes())?;
    println!("recorded the sizes in xtask/sizes.json");
    Ok(())
}

fn compare(recorded: &Map<String, Value>, name: &str, size: usize, again: &str) -> Result<()> {
    let most = recorded.get(name).and_then(Value::as_u64);
    let most = most.ok_or_else(|| anyhow!("expected a number `{name}` in `xtask/sizes.json`; `{again}` records it"))?;
    let size = size as u64;
    ensure!(
        size <= most,
        "`{name}` grew from {most} to {size} bytes; if that is worth it, run `{again}` and commit `xtask/sizes.json`"
    );
    if size < most {
        println!("{name} is {} bytes below its recorded size; `{again}` makes that the new limit", most - size);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(size: usize) -> Result<()> {
        let recorded = json!({ "page": 100 });
        compare(recorded.as_object().context("an object")?, "page", size, "cargo xtask page")
    }

    #[test]
    fn a_size_may_stay_and_shrink() -> Result<()> {
        judged(100)?;
        judged(99)
    }

    #[test]
    fn a_size_that_grew_is_refused_with_what_to_do() {
        let error = judged(101).expect_err("it grew").to_string();
        assert!(error.contains("`page` grew from 100 to 101 bytes"), "{error}");
        assert!(error.contains("`cargo xtask page`"), "{error}");
    }

    #[test]
    fn a_size_that_nobody_recorded_is_refused() {
        let error = compare(&Map::new(), "page", 1, "cargo xtask page").expect_err("nothing is recorded");
        assert!(error.to_string().contains("expected a number `page`"), "{error}");
    }
}
