//! The table of the longest waits, for people.

use std::fmt;

use policy_core::Millis;

use super::worst::{Retry, Waits, WorstCase};
use crate::duration::text as span;

/// Most lines of retries; the middle of a longer table is left out.
const LINES_MAX: usize = 16;
const LAST_LINES: usize = 2;

/// The table in columns, and what all waits come to.
impl fmt::Display for WorstCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let widths: [usize; 4] =
            std::array::from_fn(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0));
        for line in lines.iter().filter(|_| !self.retries.is_empty()) {
            let cells = line.iter().zip(widths).filter(|(_, width)| *width > 0);
            let cells: Vec<_> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        if let Some(wait) = self.max_wait.filter(|wait| self.longest() > *wait) {
            writeln!(f, "(*) deferred above {}", span(wait))?;
        }
        f.write_str(&self.summary())
    }
}

impl WorstCase {
    /// The head and a line for each run of equal retries.
    fn lines(&self) -> Vec<[String; 4]> {
        let mut runs: Vec<(Retry, Retry)> = Vec::new();
        for retry in &self.retries {
            match runs.last_mut() {
                Some((_, last)) if (last.transient, last.throttled) == (retry.transient, retry.throttled) => {
                    *last = *retry
                }
                _ => runs.push((*retry, *retry)),
            }
        }
        let throttled =
            if self.retries.iter().any(|retry| retry.throttled.is_some()) { "after throttling" } else { "" };
        let mut lines: Vec<_> = runs.iter().map(|(first, last)| self.line(first, last)).collect();
        if lines.len() > LINES_MAX {
            let left_out = LINES_MAX - LAST_LINES..lines.len() - LAST_LINES;
            lines.splice(left_out, [["…", "", "", ""].map(str::to_owned)]);
        }
        lines.insert(0, ["retry", "after a fault that passes", throttled, "all waits so far"].map(str::to_owned));
        lines
    }

    fn line(&self, first: &Retry, last: &Retry) -> [String; 4] {
        let index = if first == last { first.index.to_string() } else { format!("{} to {}", first.index, last.index) };
        let throttled = first.throttled.map(|waits| self.waits(waits)).unwrap_or_default();
        [index, self.waits(first.transient), throttled, format!("up to {}", span(last.total))]
    }

    fn waits(&self, Waits { shortest, longest }: Waits) -> String {
        let mark = if self.max_wait.is_some_and(|wait| longest > wait) { " (*)" } else { "" };
        match shortest == longest {
            true => format!("{}{mark}", span(longest)),
            false => format!("{} to {}{mark}", span(shortest), span(longest)),
        }
    }

    fn longest(&self) -> Millis {
        let waits = self.retries.iter().flat_map(|retry| [Some(retry.transient), retry.throttled]).flatten();
        waits.map(|waits| waits.longest).max().unwrap_or(Millis::ZERO)
    }

    fn summary(&self) -> String {
        let sends = if self.sends == 1 { "1 send".to_owned() } else { format!("{} sends at most", self.sends) };
        let with_hints = match self.with_hints {
            Some(total) => format!("{} if it does", span(total)),
            None => "without a limit if it does".to_owned(),
        };
        format!("{sends}. All waits together: at most {} if the server names no time, {with_hints}.", span(self.local))
    }
}
