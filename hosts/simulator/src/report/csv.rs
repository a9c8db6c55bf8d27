//! Comma-separated values: RFC 4180, but for lines that end with a line feed alone, as other tools expect.

use std::fmt::Write;

use super::{Report, Run};

/// A column's name, and its value in a run.
type Column = (&'static str, fn(&Run) -> String);

const COLUMNS: [Column; 25] = [
    ("policy", |run| quoted(&run.policy)),
    ("clients", |run| run.clients.to_string()),
    ("repeats", |run| run.repeats.to_string()),
    ("requests", |run| run.requests.to_string()),
    ("unfinished", |run| run.unfinished.to_string()),
    ("goodput", |run| run.goodput.to_string()),
    ("sends", |run| run.sends.to_string()),
    ("received", |run| run.received.to_string()),
    ("served", |run| run.served.to_string()),
    ("wasted", |run| run.wasted.to_string()),
    ("turned_away", |run| run.turned_away.to_string()),
    ("amplification", |run| run.amplification.to_string()),
    ("early", |run| run.early.to_string()),
    ("returned", |run| run.returned.to_string()),
    ("peak_returned", |run| run.peak_returned.to_string()),
    ("peak_returned_share", |run| run.peak_returned_share.to_string()),
    ("longest_wait_share", |run| run.longest_wait_share.to_string()),
    ("longest_wait_again_share", |run| run.longest_wait_again_share.to_string()),
    ("recovery_ms", |run| run.recovery_ms.map(|ms| ms.to_string()).unwrap_or_default()),
    ("completed_ms", |run| run.completed_ms.to_string()),
    ("p10_ms", |run| run.waiting.p10_ms.to_string()),
    ("p50_ms", |run| run.waiting.p50_ms.to_string()),
    ("p90_ms", |run| run.waiting.p90_ms.to_string()),
    ("p99_ms", |run| run.waiting.p99_ms.to_string()),
    ("max_ms", |run| run.waiting.max_ms.to_string()),
];

impl Report {
    /// One line for each run.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let names: Vec<_> = COLUMNS.iter().map(|(name, _)| *name).collect();
        let line = |run: &Run| COLUMNS.iter().map(|(_, value)| value(run)).collect::<Vec<_>>().join(",");
        std::iter::once(names.join(","))
            .chain(self.runs.iter().map(line))
            .fold(String::new(), |csv, line| csv + &line + "\n")
    }

    /// The load over time: one line for each step of each run.
    #[must_use]
    pub fn load_to_csv(&self) -> String {
        let mut csv = "policy,clients,from_ms,offered,served,delivered,returned\n".to_owned();
        for run in &self.runs {
            let load = &run.load;
            let counts = load.offered.iter().zip(&load.served).zip(&load.delivered).zip(&load.returned);
            for (step, (((offered, served), delivered), returned)) in (0_u64..).zip(counts) {
                let (policy, from) = (quoted(&run.policy), step * load.step_ms);
                let _ = writeln!(csv, "{policy},{},{from},{offered},{served},{delivered},{returned}", run.clients);
            }
        }
        csv
    }
}

/// In quotes if it has to be. A spreadsheet takes what begins like a formula for one.
fn quoted(text: &str) -> String {
    let text = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_does_not_break_the_line_it_stands_in() {
        assert_eq!(quoted("polite-default"), "polite-default");
        assert_eq!(quoted("full, \"cut\""), "\"full, \"\"cut\"\"\"");
        assert_eq!(quoted("=1+1"), "'=1+1");
    }
}
