//! Runs every measure there is and writes them as one table, for people and for machines.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{check_guest, guest, shell};

/// Benchmarks, as package and name.
const BENCHES: [(&str, &str); 2] = [("policy-core", "handle"), ("refrain-wasmtime", "call")];

/// The bench that reports what it measured itself, and what is expected of it at most: name, value.
const COST: (&str, &str, &str) = ("refrain", "cost", "client,middleware,tower");
const COST_LIMITS: [(&str, f64); 3] = [
    ("reqwest over loopback, success: refrain, client, added time", 1_000.0),
    ("reqwest over loopback, success: refrain, client, added allocations", 0.0),
    ("waiting request, what is kept for retries", 128.0),
];

/// What is compared with what, and the ratio that is expected at most.
const COMPARED: [(&str, &str, Option<f64>); 8] = [
    ("native/handle, IMF-fixdate", "native/httpdate alone", Some(0.5)),
    ("native/handle, IMF-fixdate", "native/retry-policies should_retry", None),
    ("native/handle, no hint", "native/retry-policies should_retry", None),
    ("native/http_date::parse alone", "native/httpdate alone", None),
    ("component/handle", "component/no-op with the signature of handle", Some(2.0)),
    ("component/handle", "component/empty call", None),
    ("component/handle, another policy pinned", "component/handle", Some(1.1)),
    ("component/handle", "component/handle, core linked in", None),
];

/// What is expected to take no longer than this, in nanoseconds.
const LIMITS: [(&str, f64); 1] = [("component/handle", 2_000.0)];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Shorter runs: enough to see that every measure works, too little to quote.
    #[arg(long)]
    quick: bool,
}

/// One measure.
struct Measure {
    name: String,
    value: f64,
    unit: String,
    compared_with: Option<String>,
    ratio: Option<f64>,
    at_most: Option<String>,
    met: Option<bool>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let component = guest::build_here()?;
    for (package, bench) in BENCHES {
        println!("measuring {package}, {bench}");
        let mut command = shell::cargo();
        command.args(["bench", "--quiet", "--package", package, "--bench", bench, "--"]);
        if options.quick {
            command.args(["--warm-up-time", "0.2", "--measurement-time", "0.5", "--sample-size", "10"]);
        }
        shell::run(command.env(guest::COMPONENT, guest::Artifact::component_path()))?;
    }
    let mut times = BTreeMap::new();
    read_times(&shell::target().join("criterion"), &mut times)?;
    let costs = costs(options.quick)?;
    let measures = sizes(&component)?.into_iter().chain(durations(&times)).chain(costs).collect::<Vec<_>>();
    let file = shell::target().join("measures.json");
    let all: Vec<Value> = measures.iter().map(Measure::to_json).collect();
    shell::write(&file, format!("{:#}\n", Value::Array(all)).as_bytes())?;
    print(&measures);
    println!("\nwrote {}", file.display());
    Ok(())
}

/// What requests cost beside other retry layers, and while they wait.
fn costs(quick: bool) -> Result<Vec<Measure>> {
    let (package, bench, features) = COST;
    println!("measuring {package}, {bench}");
    let file = shell::target().join("cost.jsonl");
    let mut command = shell::cargo();
    command.args(["bench", "--quiet", "--package", package, "--bench", bench, "--features", features, "--"]);
    if quick {
        command.arg("--quick");
    }
    shell::run(command.env("REFRAIN_MEASURES", &file))?;
    String::from_utf8(shell::read(&file)?)?.lines().map(|line| cost(&serde_json::from_str(line)?)).collect()
}

fn cost(line: &Value) -> Result<Measure> {
    let name = line["name"].as_str().context("a measure without a name")?.to_owned();
    let value = line["value"].as_f64().context("a measure without a value")?;
    let unit = line["unit"].as_str().context("a measure without a unit")?.to_owned();
    let limit = COST_LIMITS.iter().find(|(limited, _)| *limited == name).map(|(_, limit)| *limit);
    Ok(Measure {
        at_most: limit.map(|limit| format!("{limit} {unit}")),
        met: limit.map(|limit| value <= limit),
        compared_with: line["compared_with"].as_str().map(str::to_owned),
        ratio: None,
        name,
        value,
        unit,
    })
}

/// The medians of all benchmarks below a folder, in nanoseconds, by their full names.
fn read_times(folder: &Path, times: &mut BTreeMap<String, f64>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            read_times(&path, times)?;
        } else if path.ends_with("new/benchmark.json") {
            let read = |path: &Path| -> Result<Value> { Ok(serde_json::from_slice(&shell::read(path)?)?) };
            let (benchmark, estimates) = (read(&path)?, read(&path.with_file_name("estimates.json"))?);
            let name = benchmark["full_id"].as_str().context("a benchmark without a name")?;
            let median = estimates["median"]["point_estimate"].as_f64().context("a benchmark without a median")?;
            times.insert(name.to_owned(), median);
        }
    }
    Ok(())
}

fn sizes(component: &guest::Artifact) -> Result<Vec<Measure>> {
    let gzip = check_guest::gzip_len(&component.core)?;
    let wrapper = component.component.len().saturating_sub(component.core.len());
    let size = |name: &str, bytes: usize, limit: usize| Measure {
        name: name.into(),
        value: bytes as f64,
        unit: "bytes".to_owned(),
        compared_with: None,
        ratio: None,
        at_most: Some(format!("{limit} bytes")),
        met: Some(bytes <= limit),
    };
    Ok(vec![
        size("size/core module", component.core.len(), check_guest::CORE_LIMIT),
        size("size/core module, gzip", gzip, check_guest::GZIP_LIMIT),
        size("size/what the component adds", wrapper, check_guest::WRAPPER_LIMIT),
    ])
}

fn durations(times: &BTreeMap<String, f64>) -> Vec<Measure> {
    let plain = |name: &String, value: &f64| {
        let limit = LIMITS.iter().find(|(limited, _)| limited == name).map(|(_, limit)| *limit);
        Measure {
            name: name.clone(),
            value: *value,
            unit: "ns".to_owned(),
            compared_with: None,
            ratio: None,
            at_most: limit.map(|limit| format!("{limit} ns")),
            met: limit.map(|limit| *value <= limit),
        }
    };
    let compared = |(name, other, limit): &(&str, &str, Option<f64>)| {
        let (value, base) = (times.get(*name)?, times.get(*other)?);
        let ratio = value / base;
        Some(Measure {
            name: (*name).into(),
            value: *value,
            unit: "ns".to_owned(),
            compared_with: Some((*other).into()),
            ratio: Some(ratio),
            at_most: limit.map(|limit| format!("{limit} times")),
            met: limit.map(|limit| ratio <= limit),
        })
    };
    times.iter().map(|(name, value)| plain(name, value)).chain(COMPARED.iter().filter_map(compared)).collect()
}

impl Measure {
    fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "compared_with": self.compared_with,
            "ratio": self.ratio,
            "expected_at_most": self.at_most,
            "met": self.met,
        })
    }
}

fn print(measures: &[Measure]) {
    println!("\n{:<76} {:>12} {:<11} {:>7}  compared with, expected", "measure", "value", "", "ratio");
    for measure in measures {
        let ratio = measure.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let against = measure.compared_with.as_deref().unwrap_or_default();
        let expected = match (&measure.at_most, measure.met) {
            (Some(limit), Some(true)) => format!(" (at most {limit}: met)"),
            (Some(limit), _) => format!(" (at most {limit}: MISSED)"),
            (None, _) => String::new(),
        };
        let Measure { name, value, unit, .. } = measure;
        println!("{name:<76} {value:>12.1} {unit:<11} {ratio:>7}  {against}{expected}");
    }
}
