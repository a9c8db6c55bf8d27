use anyhow::Result;
pub(crate) fn run(_check: bool) -> Result<()> {
    Ok(())
}
