//! Runs every measure there is and writes them as one table, for people and for machines.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::{browser, check_guest, guest, pages, shell};

/// Benchmarks, as package and name.
const BENCHES: [(&str, &str); 2] = [("policy-core", "handle"), ("refrain-wasmtime", "call")];

/// The benches that report what they measured themselves, as package, name and features.
const COSTS: [(&str, &str, &str); 2] =
    [("refrain", "cost", "client,middleware,tower"), ("refrain-simulator", "events", "plot")];

/// What is expected at most of what benches report themselves, those and the browser host's: name, value.
const COST_LIMITS: [(&str, f64); 15] = [
    ("simulator: a million clients through an outage", 30.0),
    ("simulator: an event of a million clients against one of a thousand", 3.0),
    ("fetch from memory in Node: refrain, added time", 10_000.0),
    ("fetch from memory in Chromium: refrain, added time", 10_000.0),
    ("engine in Node: start and handle, success", 1_000.0),
    ("engine in Node: handle, no hint", 1_000.0),
    ("engine in Node: handle, delay-seconds", 1_000.0),
    ("engine in Node: handle, IMF-fixdate", 1_000.0),
    ("engine in Chromium: start and handle, success", 1_000.0),
    ("engine in Chromium: handle, no hint", 1_000.0),
    ("engine in Chromium: handle, delay-seconds", 1_000.0),
    ("engine in Chromium: handle, IMF-fixdate", 1_000.0),
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
    let times = benches(options.quick)?;
    let costs =
        COSTS.iter().map(|bench| costs(*bench, options.quick)).collect::<Result<Vec<_>>>()?.into_iter().flatten();
    let browser = browser_costs(options.quick)?;
    let sizes = sizes(&component)?.into_iter().chain(pages()?);
    let measures: Vec<_> = sizes.chain(durations(&times)).chain(costs).chain(browser).collect();
    for (name, _) in COST_LIMITS {
        let is_there = measures.iter().any(|measure| measure.name == name);
        ensure!(is_there, "expected a measure `{name}`, for which there is a limit");
    }
    let file = shell::target().join("measures.json");
    let all: Vec<Value> = measures.iter().map(Measure::to_json).collect();
    shell::write(&file, format!("{:#}\n", Value::Array(all)).as_bytes())?;
    print(&measures);
    println!("\nwrote {}", file.display());
    Ok(())
}

/// Runs the benchmarks and returns the medians of all that there are, in nanoseconds.
fn benches(quick: bool) -> Result<BTreeMap<String, f64>> {
    for (package, bench) in BENCHES {
        println!("measuring {package}, {bench}");
        let mut command = shell::cargo();
        command.args(["bench", "--quiet", "--package", package, "--bench", bench, "--"]);
        if quick {
            command.args(["--warm-up-time", "0.2", "--measurement-time", "0.5", "--sample-size", "10"]);
        }
        shell::run(command.env(guest::COMPONENT, guest::Artifact::component_path()))?;
    }
    let mut times = BTreeMap::new();
    read_times(&shell::target().join("criterion"), &mut times)?;
    Ok(times)
}

/// What requests cost beside other retry layers and while they wait, or what simulating them costs.
fn costs((package, bench, features): (&str, &str, &str), quick: bool) -> Result<Vec<Measure>> {
    println!("measuring {package}, {bench}");
    let file = shell::target().join(format!("{bench}.jsonl"));
    let mut command = shell::cargo();
    command.args(["bench", "--quiet", "--package", package, "--bench", bench, "--features", features, "--"]);
    if quick {
        command.arg("--quick");
    }
    shell::run(command.env("REFRAIN_MEASURES", &file))?;
    read_costs(&file)
}

/// What calls and decisions cost in the browser host.
fn browser_costs(quick: bool) -> Result<Vec<Measure>> {
    println!("measuring the browser host");
    let file = shell::target().join("browser.jsonl");
    browser::measure(quick, &file)?;
    read_costs(&file)
}

fn read_costs(file: &Path) -> Result<Vec<Measure>> {
    String::from_utf8(shell::read(file)?)?.lines().map(|line| cost(&serde_json::from_str(line)?)).collect()
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
    Ok(vec![
        size("core module".to_owned(), component.core.len(), Some(check_guest::CORE_LIMIT)),
        size("core module, gzip".to_owned(), gzip, Some(check_guest::GZIP_LIMIT)),
        size("what the component adds".to_owned(), wrapper, Some(check_guest::WRAPPER_LIMIT)),
    ])
}

/// What a page downloads, once the browser host is built.
fn pages() -> Result<Vec<Measure>> {
    let pages = pages::weigh()?.into_iter();
    Ok(pages
        .map(|page| {
            let limit = page.limit();
            size(format!("page with {}, gzip", page.name), page.size, limit)
        })
        .collect())
}

fn size(name: String, bytes: usize, limit: Option<usize>) -> Measure {
    Measure {
        name: format!("size/{name}"),
        value: bytes as f64,
        unit: "bytes".to_owned(),
        compared_with: None,
        ratio: None,
        at_most: limit.map(|limit| format!("{limit} bytes")),
        met: limit.map(|limit| bytes <= limit),
    }
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
