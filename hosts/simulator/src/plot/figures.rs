//! The charts of a report.

use super::{Chart, Line, Scale};
use crate::report::{Load, Report, Run};

impl Report {
    /// The charts of this report: over time, or over the number of clients if there are several.
    #[must_use]
    pub fn charts(&self) -> Vec<Chart> {
        let sweeps = self.runs.iter().any(|run| run.clients != self.runs[0].clients);
        if sweeps { self.sweep_charts() } else { self.time_charts() }
    }

    fn sweep_charts(&self) -> Vec<Chart> {
        let chart = |name, y, scale, value: fn(&Run) -> f64| Chart {
            name: format!("{}-{name}", self.scenario),
            title: format!("{}: {y} by number of clients", self.scenario),
            x: "clients".to_owned(),
            y: format!("{y}, mean of {}", self.runs[0].repeats),
            scale,
            lines: self.lines(|run| vec![(f64::from(run.clients), value(run))]),
        };
        vec![
            chart("sends", "sends", Scale::Linear, |run| run.mean_sends() as f64),
            chart("time", "seconds until all are done", Scale::Logarithmic, |run| run.completed_ms as f64 / 1_000.0),
        ]
    }

    fn time_charts(&self) -> Vec<Chart> {
        let chart = |name: &str, y: &str, counts: fn(&Load) -> &[u64]| Chart {
            name: format!("{}-{name}", self.scenario),
            title: format!("{}: {y}", self.scenario),
            x: "seconds".to_owned(),
            y: "in each second".to_owned(),
            scale: Scale::Linear,
            lines: self.lines(|run| run.load.per_second(counts(&run.load))),
        };
        vec![
            chart("offered", "attempts that reach the server", |load| &load.offered),
            chart("served", "attempts that the server answers with success", |load| &load.served),
            chart("delivered", "requests that end with success", |load| &load.delivered),
            chart("returned", "requests that come back", |load| &load.returned),
            self.waiting_chart(),
        ]
    }

    fn waiting_chart(&self) -> Chart {
        Chart {
            name: format!("{}-waiting", self.scenario),
            title: format!("{}: requests that have ended with success by then", self.scenario),
            x: "seconds since the request began".to_owned(),
            y: "percent".to_owned(),
            scale: Scale::Linear,
            lines: self.lines(Run::succeeded_within),
        }
    }

    /// A line for each policy, of all its runs.
    fn lines(&self, points: impl Fn(&Run) -> Vec<(f64, f64)>) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for run in &self.runs {
            match lines.iter_mut().find(|line| line.label == run.policy) {
                Some(line) => line.points.extend(points(run)),
                None => lines.push(Line { label: run.policy.clone(), points: points(run) }),
            }
        }
        lines
    }
}
