//! The simulator.

use refrain_document::Document;
use refrain_simulator::{Report, SCENARIOS, Scenario};
use serde::Serialize;
use wasm_bindgen::{JsError, prelude::wasm_bindgen};

use crate::{document, view};

/// The scenarios that there are: JSON of a list of `Shipped` in `lab.ts`.
///
/// # Errors
/// None: every scenario is tested.
#[wasm_bindgen]
pub fn scenarios() -> Result<String, JsError> {
    view::json(&SCENARIOS.map(Shipped::of).into_iter().collect::<Result<Vec<_>, _>>()?)
}

#[derive(Serialize)]
struct Shipped {
    name: &'static str,
    /// The documents that it brings, by name.
    policies: Vec<(String, String)>,
}

impl Shipped {
    fn of((name, text): (&'static str, &str)) -> Result<Self, JsError> {
        let table: toml::Table = text.parse()?;
        let policies = table.get("policies").and_then(toml::Value::as_table).into_iter().flatten();
        let policies = policies.map(|(name, document)| Ok((name.clone(), toml::to_string(document)?)));
        Ok(Self { name, policies: policies.collect::<Result<_, toml::ser::Error>>()? })
    }
}

/// A scenario with changes and policies, as a text that `refrain simulate` takes: see `Simulation::begin`.
///
/// # Errors
/// What is wrong with the scenario, the changes or a document.
#[wasm_bindgen]
pub fn written(scenario: &str, changes: &str, policies: Vec<String>) -> Result<String, JsError> {
    Ok(Scenario::write(text_of(scenario), changes, &read_all(&policies)?)?)
}

fn text_of(scenario: &str) -> &str {
    SCENARIOS.into_iter().find(|(name, _)| *name == scenario).map_or(scenario, |(_, text)| text)
}

fn read_all(policies: &[String]) -> Result<Vec<Document>, JsError> {
    policies.iter().map(|policy| document::read(policy)).collect()
}

/// A scenario under way. It goes on when it is told to, and who frees it stops it.
#[wasm_bindgen]
pub struct Simulation(refrain_simulator::Simulation);

#[wasm_bindgen]
impl Simulation {
    /// Nothing has happened yet.
    ///
    /// `scenario` is the name of one that ships, or a text; `changes` are as `Scenario::parse_with` takes them. Without
    /// `policies`, documents, the scenario's own are compared.
    ///
    /// # Errors
    /// What is wrong with the scenario, the changes or a document.
    pub fn begin(scenario: &str, changes: &str, policies: Vec<String>, seed: u32) -> Result<Simulation, JsError> {
        let parsed = Scenario::parse_with(text_of(scenario), changes)?;
        let documents = read_all(&policies)?;
        let compared = if documents.is_empty() { parsed } else { parsed.with_policies(&documents)? };
        Ok(Self(refrain_simulator::Simulation::new(compared, seed.into())))
    }

    /// Lets about this many events happen. Whether there are more.
    pub fn advance(&mut self, events: u32) -> bool {
        self.0.advance(events.into())
    }

    /// What the runs have come to: JSON of a `SoFar` in `lab.ts`.
    ///
    /// # Errors
    /// None.
    #[wasm_bindgen(js_name = soFar)]
    #[expect(clippy::cast_precision_loss, reason = "a share to look at")]
    pub fn so_far(&self) -> Result<String, JsError> {
        let (progress, runs) = (self.0.progress(), self.0.so_far());
        view::json(&SoFar {
            share: progress.ended as f64 / progress.total.max(1) as f64,
            now_ms: runs.iter().map(|run| run.now_ms).max().unwrap_or(0),
            sends: runs.iter().map(|run| run.sends).sum(),
            series: runs.iter().map(view::Series::so_far).collect(),
        })
    }

    /// Lets all that is left happen, and reports.
    pub fn finish(self) -> Finished {
        Finished(self.0.finish())
    }
}

#[derive(Serialize)]
struct SoFar {
    /// Of all logical requests, those that have ended, from 0 to 1.
    share: f64,
    /// Of the run that is furthest.
    now_ms: u64,
    /// Of all runs.
    sends: u64,
    series: Vec<view::Series>,
}

/// What came of a scenario.
#[wasm_bindgen]
pub struct Finished(Report);

#[wasm_bindgen]
impl Finished {
    /// The report as `refrain simulate --json` writes it, byte for byte.
    ///
    /// # Errors
    /// None.
    pub fn report(&self) -> Result<String, JsError> {
        view::json(&self.0)
    }

    /// What of it is shown: JSON of a `Results` in `lab.ts`.
    ///
    /// # Errors
    /// None.
    pub fn results(&self) -> Result<String, JsError> {
        view::json(&Results {
            cells: self.0.to_cells(),
            series: self.0.runs.iter().map(view::Series::of).collect(),
            peaks: self.0.runs.iter().map(|run| run.peak_returned_share.thousandths()).collect(),
        })
    }
}

#[derive(Serialize)]
struct Results {
    cells: Vec<Vec<String>>,
    series: Vec<view::Series>,
    /// In thousandths.
    peaks: Vec<u64>,
}
