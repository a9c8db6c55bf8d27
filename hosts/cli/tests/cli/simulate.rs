//! The simulator on the command line.

use std::fs;

use serde_json::json;

use crate::support::{Run, bare_command, scratch};

fn run(args: &[&str]) -> Run {
    bare_command().arg("simulate").args(args).output().expect("the binary runs").into()
}

#[test]
fn simulate_lists_its_scenarios_and_writes_one_to_start_from() {
    let list = run(&[]);
    assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
    for name in ["outage", "rate-limit", "brown-out", "tiers", "contention", "cut-draws"] {
        assert!(list.stdout.contains(&format!("{name}\n")), "no {name} in {}", list.stdout);
    }
    let printed = run(&["outage", "--print"]);
    let mine = scratch("mine.toml");
    fs::write(&mine, printed.stdout).unwrap();
    let (ready, own) = (run(&["outage", "--clients", "50"]), run(&[mine.to_str().unwrap(), "--clients", "50"]));
    assert_eq!((own.code, own.stdout), (Some(0), ready.stdout));
}

#[test]
fn simulate_gives_the_same_numbers_for_the_same_seed_and_others_for_another() {
    let numbers = |seed| run(&["rate-limit", "--clients", "300", "--seed", seed, "--json"]);
    let (one, again, other) = (numbers("7"), numbers("7"), numbers("8"));
    assert_eq!((one.code, &one.stdout), (Some(0), &again.stdout));
    assert_ne!(one.json()["runs"], other.json()["runs"]);
    assert_eq!([&one.json()["seed"], &one.json()["runs"][0]["requests"]], [&json!(7), &json!(300)]);
}

#[test]
fn simulate_says_that_another_number_of_clients_meets_the_same_server() {
    let other = run(&["rate-limit", "--clients", "50"]).stdout;
    assert!(other.contains("\nHere with 50 clients, and the same server.\n"), "{other}");
    let own = run(&["rate-limit"]).stdout;
    assert!(!own.contains("Here with"), "{own}");
}

#[test]
fn simulate_runs_the_policies_that_are_named_in_every_arrangement_of_the_scenario() {
    let document = scratch("two-sends.toml");
    fs::write(&document, "schema = 1\nname = \"two-sends\"\nversion = \"1.0.0\"\nlimits.max_attempts = 2\n").unwrap();
    let policies = ["--policy", "polite-default", "--policy", document.to_str().unwrap()];
    let report = run(&[&["tiers", "--clients", "20", "--json"], &policies[..]].concat()).json();
    let labels: Vec<_> = report["runs"].as_array().unwrap().iter().map(|run| run["policy"].as_str().unwrap()).collect();
    let expected = ["polite-default", "two-sends"].map(|name| {
        [name.to_owned(), format!("{name}, 3 tiers, nesting counted"), format!("{name}, 3 tiers, nesting ignored")]
    });
    assert_eq!(labels, expected.concat());
}

#[test]
fn simulate_writes_tables_and_charts_into_a_folder() {
    let folder = scratch("figures");
    let out = run(&["outage", "--clients", "100", "--csv", "--out", folder.to_str().unwrap()]);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert_eq!(out.stdout, fs::read_to_string(folder.join("runs.csv")).unwrap());
    assert!(out.stdout.starts_with("policy,clients,"), "{}", out.stdout);
    assert!(out.stderr.contains("wrote 13 files"), "{}", out.stderr);
    for name in ["report.json", "load.csv", "outage-offered.svg", "outage-waiting.png"] {
        assert!(folder.join(name).metadata().unwrap().len() > 500, "{name}");
    }
}

#[test]
fn simulate_refuses_what_it_cannot_run_and_says_what_it_expected() {
    let bad = scratch("bad.toml");
    fs::write(&bad, "name = \"bad\"\nclient = 5\n").unwrap();
    let cases: [(&[&str], &str); 6] = [
        (&["no-such"], "expected a scenario (`.toml`), or one of outage, "),
        (&[bad.to_str().unwrap()], "unknown field `client`"),
        (&["outage", "--policy", "no-such"], "a ready-made policy ("),
        (&["outage", "--clients", "0"], "--clients"),
        (&["outage", "--clients", "60000000"], "at most 50000000 requests"),
        (&["outage", "--engine", "native"], "`--engine` has no meaning for `refrain simulate`"),
    ];
    for (args, expected) in cases {
        let run = run(args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
}
