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
        let lines = self.to_cells();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        for line in &lines {
            let cells = line.iter().enumerate().map(|(column, cell)| format!("{cell:width$}", width = width(column)));
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        self.note().map_or(Ok(()), |note| writeln!(f, "{note}"))?;
        f.write_str(&self.summary())
    }
}

impl WorstCase {
    /// The names of the table's columns, and then its cells, line by line; empty if nothing is retried.
    ///
    /// ```
    /// use refrain_document::{explain, ready};
    /// let cells = explain::table(&ready::find("read-only-strict").unwrap().document()).to_cells();
    /// assert_eq!((cells[0][0].as_str(), cells.len()), ("retry", 4));
    /// ```
    #[must_use]
    pub fn to_cells(&self) -> Vec<Vec<String>> {
        if self.retries.is_empty() {
            return Vec::new();
        }
        let lines = self.lines();
        let is_used = |column: usize| lines.iter().any(|line| !line[column].is_empty());
        let used =
            |line: &[String; 4]| (0..4).filter(|column| is_used(*column)).map(|column| line[column].clone()).collect();
        lines.iter().map(used).collect()
    }

    /// What a mark in the cells means, if there is one.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let wait = self.max_wait.filter(|wait| self.longest() > *wait)?;
        Some(format!("(*) deferred above {}", span(wait)))
    }

    /// What all waits come to, in two sentences.
    #[must_use]
    pub fn summary(&self) -> String {
        let sends = if self.sends == 1 { "1 send".to_owned() } else { format!("{} sends at most", self.sends) };
        let with_hints = match self.with_hints {
            Some(total) => format!("{} if it does", span(total)),
            None => "without a limit if it does".to_owned(),
        };
        format!("{sends}. All waits together: at most {} if the server names no time, {with_hints}.", span(self.local))
    }

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
}
