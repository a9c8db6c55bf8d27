//! What an event costs, from a thousand clients to a million, and what a million clients cost in all.
//!
//! `cargo bench --package refrain-simulator -- --out DIR` draws it too. Processor time is measured, so that a busy machine
//! changes little; the fastest of several runs counts.

use std::{env, fs, path::PathBuf, process::ExitCode};

use refrain_simulator::{Chart, Line, Run, Scale, Scenario, simulate};
use rustix::time::{ClockId, clock_gettime};

const FLEETS: [u32; 7] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
/// Clients of all fleets of one size together.
const CLIENTS: u32 = 3_000_000;
/// What an event of the largest fleet may cost more than one of the smallest.
const RATIO_MAX: f64 = 2.0;
/// What a million clients may take.
const SECONDS_MAX: f64 = 30.0;

fn main() -> ExitCode {
    let points: Vec<_> = FLEETS.iter().map(|clients| (f64::from(*clients), cost(*clients))).collect();
    let ratio = points[points.len() - 1].1 / points[0].1;
    let (seconds, run) = timed(1_000_000);
    println!("a million clients: {seconds:.1} s, {} events, {} sends", run.events, run.sends);
    println!("an event, a million clients against a thousand: {ratio:.2} times");
    let bytes = peak_kib().map(|peak| peak as f64 * 1_024.0 / 1e6);
    if let Some(bytes) = bytes {
        println!("peak of memory: {bytes:.0} bytes a client");
    }
    if let Some(file) = env::var_os("REFRAIN_MEASURES") {
        let measures = [
            ("simulator: a million clients through an outage", Some(seconds), "s"),
            ("simulator: an event of a million clients", points.last().map(|(_, nanos)| *nanos), "ns"),
            ("simulator: an event of a million clients against one of a thousand", Some(ratio), "times"),
            ("simulator: memory of a million clients", bytes, "bytes each"),
        ];
        fs::write(file, lines(measures)).expect("a file");
    }
    if let Some(folder) = folder() {
        draw(&folder, points);
    }
    // `cargo xtask measure` judges itself.
    let is_judge = env::var_os("REFRAIN_MEASURES").is_none();
    ExitCode::from(u8::from(is_judge && (ratio > RATIO_MAX || seconds > SECONDS_MAX)))
}

/// Nanoseconds an event.
fn cost(clients: u32) -> f64 {
    let nanos = |_| {
        let (seconds, run) = timed(clients);
        seconds * 1e9 / run.events as f64
    };
    let runs = if env::args().any(|argument| argument == "--quick") { 1 } else { CLIENTS / clients };
    let nanos = (0..runs).map(nanos).fold(f64::MAX, f64::min);
    println!("{clients:>9} clients: {nanos:.0} ns an event");
    nanos
}

/// An outage for a fleet of this size, whose server is as large for each client.
fn timed(clients: u32) -> (f64, Run) {
    let (workers, queue) = (clients / 500, clients / 50);
    let text = format!(
        r#"
        name = "outage"
        clients = {clients}
        [arrivals]
        process = "at-once"
        [server]
        workers = {workers}
        queue = {queue}
        service = {{ mean = "20ms", distribution = "exponential" }}
        [outage]
        from = "0s"
        until = "10s"
        answer = 503
        [policies.full]
        schema = 1
        name = "full"
        version = "1.0.0"
        budget = "none"
        limits = {{ max_attempts = 10 }}
        backoff = {{ base = "500ms", cap = "20s", jitter = "full" }}
        [[contender]]
        policy = "full"
        "#
    );
    let scenario = Scenario::parse(&text).expect("a scenario");
    let began = seconds();
    let mut report = simulate(&scenario, 1, &|_| ());
    (seconds() - began, report.runs.remove(0))
}

fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory that this process had, where the system says so.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// As `cargo xtask measure` reads them.
fn lines(measures: [(&str, Option<f64>, &str); 4]) -> String {
    let line = |(name, value, unit): (&str, Option<f64>, &str)| {
        value.map(|value| format!("{{\"name\":\"{name}\",\"value\":{value},\"unit\":\"{unit}\"}}\n"))
    };
    measures.into_iter().filter_map(line).collect()
}

fn folder() -> Option<PathBuf> {
    env::args_os().skip_while(|argument| argument != "--out").nth(1).map(PathBuf::from)
}

fn draw(folder: &PathBuf, points: Vec<(f64, f64)>) {
    let points = points.into_iter().map(|(clients, nanos)| (clients.log10(), nanos)).collect();
    let chart = Chart {
        name: "events".into(),
        title: "What an event costs".into(),
        x: "clients, as a power of ten".into(),
        y: "nanoseconds of processor time".into(),
        scale: Scale::Linear,
        lines: vec![Line { label: "an event".into(), points }],
    };
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("events.svg"), chart.to_svg().expect("a chart")).expect("a file");
    fs::write(folder.join("events.png"), chart.to_png().expect("a chart")).expect("a file");
}
