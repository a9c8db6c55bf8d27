//! A table for people.

use policy_core::Millis;
use refrain_document::{duration, visible};

use super::{Report, Run};

/// A column's name, and its value in a run.
type Column = (&'static str, fn(&Run) -> String);

const COLUMNS: [Column; 11] = [
    ("policy", |run| visible::text(&run.policy).into_owned()),
    ("clients", |run| run.clients.to_string()),
    ("success", |run| run.goodput.percent()),
    ("sends", |run| run.mean_sends().to_string()),
    ("each", |run| run.amplification.to_string()),
    ("peak", |run| run.peak_returned_share.percent()),
    ("early", |run| run.early.to_string()),
    ("median", |run| if_any(run, Some(run.waiting.p50_ms.into()))),
    ("p99", |run| if_any(run, Some(run.waiting.p99_ms.into()))),
    ("recovery", |run| if_any(run, run.recovery_ms)),
    ("done", |run| time(run.completed_ms)),
];

const LEGEND: &str = "\
success: of all logical requests; each: sends for each of them; peak: of those that came back, the most in the same 100 ms;
early: sends before the server had asked for them; recovery: from the end of what went wrong until nobody was turned away;
–: nobody got that far";

impl Report {
    /// The names of the table's columns, and then its cells, line by line: one for each run.
    #[must_use]
    pub fn to_cells(&self) -> Vec<Vec<String>> {
        self.rows().into_iter().map(Vec::from).collect()
    }

    /// A table with a line for each run, and what its columns mean.
    #[must_use]
    pub fn to_table(&self) -> String {
        let rows = self.rows();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; COLUMNS.len()] = std::array::from_fn(width);
        let line = |row: &[String; COLUMNS.len()]| {
            let cells = row.iter().zip(widths).enumerate().map(|(at, (cell, width))| match at {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            cells.collect::<Vec<_>>().join("  ")
        };
        let lines = rows.iter().map(line).collect::<Vec<_>>().join("\n");
        format!("{lines}\n\n{LEGEND}")
    }

    fn rows(&self) -> Vec<[String; COLUMNS.len()]> {
        let header = COLUMNS.map(|(name, _)| name.to_owned());
        std::iter::once(header).chain(self.runs.iter().map(|run| COLUMNS.map(|(_, value)| value(run)))).collect()
    }
}

/// Where nothing succeeded, nobody has waited for it or seen the server recover: that is no time at all, and not none.
fn if_any(run: &Run, ms: Option<u64>) -> String {
    ms.filter(|_| !run.waiting.percentiles_ms.is_empty()).map_or_else(|| "–".to_owned(), time)
}

/// To a millisecond below ten seconds, and to a tenth of a second above.
fn time(ms: u64) -> String {
    match ms {
        0..10_000 => duration::text(Millis::new(ms)),
        10_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => duration::text(Millis::from_secs(ms.div_ceil(1_000))),
    }
}
