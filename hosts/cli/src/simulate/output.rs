//! Results in a folder.

use std::{fs, path::Path};

use refrain_simulator::Report;

use crate::{
    exit::Error,
    style::{DIM, paint},
};

/// Writes every form of a report.
pub(super) fn write(folder: &Path, report: &Report) -> Result<(), Error> {
    fs::create_dir_all(folder)
        .map_err(|error| Error::incomplete(format!("cannot make the folder `{}`: {error}", folder.display())))?;
    let json = serde_json::to_string(report).map_err(Error::broken)?;
    let mut files = vec![
        ("report.json".to_owned(), json.into_bytes()),
        ("runs.csv".to_owned(), report.to_csv().into_bytes()),
        ("load.csv".to_owned(), report.load_to_csv().into_bytes()),
    ];
    // The scenario's name is that of its author: no path.
    for (number, chart) in (1..).zip(report.charts()) {
        let name = if is_plain(&chart.name) { chart.name.clone() } else { format!("chart-{number}") };
        files.push((format!("{name}.svg"), chart.to_svg().map_err(Error::broken)?.into_bytes()));
        files.push((format!("{name}.png"), chart.to_png().map_err(Error::broken)?));
    }
    for (name, bytes) in &files {
        let path = folder.join(name);
        fs::write(&path, bytes)
            .map_err(|error| Error::incomplete(format!("cannot write `{}`: {error}", path.display())))?;
    }
    let count = files.len();
    anstream::eprintln!("{}", paint(DIM, format_args!("wrote {count} files to `{}`", folder.display())));
    Ok(())
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}
