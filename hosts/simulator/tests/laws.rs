//! What holds in every scenario.

use policy_core::End;
use proptest::prelude::*;
use refrain_document::Digest;
use refrain_simulator::{Report, SCENARIOS, Scenario, Simulation, simulate};

#[test]
fn the_same_seed_gives_the_same_bytes_on_every_machine() {
    let digest = |seed| {
        let reports = SCENARIOS.map(|(_, text)| {
            let scenario = Scenario::parse(text).expect("a scenario that comes with the crate");
            simulate(&scenario.with_clients(60).expect("a size that fits"), seed, &|_| ())
        });
        Digest::of(serde_json::to_string(&reports.as_slice()).expect("plain data").as_bytes()).to_string()
    };
    assert_eq!(digest(1), digest(1));
    assert_ne!(digest(1), digest(2));
    assert_eq!(digest(1), include_str!("digest.txt").trim_end(), "if the change was meant, write it to digest.txt");
}

#[test]
fn a_simulation_in_pieces_gives_the_same_report_and_its_policies_go_forward_together() {
    for (name, text) in SCENARIOS {
        let scenario = Scenario::parse(text).and_then(|scenario| scenario.with_clients(60)).expect("a scenario");
        let whole = simulate(&scenario, 3, &|_| ());
        let mut pieces = Simulation::new(scenario, 3);
        let mut before = pieces.so_far();
        while pieces.advance(100) {
            let now = pieces.so_far();
            let sums = |load: &[u64]| load.iter().sum::<u64>();
            for (now, before) in now.iter().zip(&before) {
                assert!(now.sends >= before.sends && now.ended >= before.ended, "{name}");
                assert!(sums(&now.load.offered) <= now.sends && sums(&now.load.delivered) <= now.ended, "{name}");
            }
            assert_eq!(pieces.progress().ended, now.iter().map(|run| run.ended).sum::<u64>(), "{name}");
            before = now;
        }
        assert_eq!(pieces.progress().ended, pieces.progress().total, "{name}");
        assert_eq!(pieces.finish(), whole, "{name}");
    }
}

#[test]
fn who_reports_before_the_end_lets_the_rest_happen() {
    let scenario = Scenario::parse(SCENARIOS[0].1).and_then(|scenario| scenario.with_clients(60)).expect("a scenario");
    let mut pieces = Simulation::new(scenario.clone(), 3);
    assert!(pieces.advance(50));
    assert_eq!(pieces.finish(), simulate(&scenario, 3, &|_| ()));
}

#[test]
fn a_policy_meets_the_same_luck_whoever_it_is_compared_with() {
    let (_, text) = SCENARIOS[0];
    let scenario = Scenario::parse(text).expect("a scenario").with_clients(500).expect("a size");
    let last = scenario.contenders().last().expect("one").clone();
    let among_others = simulate(&scenario, 7, &|_| ());
    let alone = simulate(&scenario.with_contenders(vec![last]), 7, &|_| ());
    assert_eq!(among_others.runs.last(), alone.runs.last());
}

/// With a server that is never full, so that what fails fails for the outage alone.
const SKEWED: &str = r#"
    name = "skewed"
    clients = 300
    clock_skew = "5s"
    [arrivals]
    process = "at-once"
    [server]
    workers = 1_000
    service = { mean = "5ms" }
    [outage]
    from = "0s"
    until = "30s"
    answer = 503
    [retry_after]
    form = "date"
    [policies.wall]
    schema = 1
    name = "wall"
    version = "1.0.0"
    hints = { clock = "wall", spread = 0 }
    [policies.server]
    schema = 1
    name = "server"
    version = "1.0.0"
    hints = { clock = "server-date", spread = 0 }
    [[contender]]
    policy = "wall"
    [[contender]]
    policy = "server"
"#;

#[test]
fn a_date_brings_clients_early_whose_clock_is_fast_unless_they_measure_it_by_the_servers() {
    let report = run(SKEWED);
    let [wall, server] = report.runs.as_slice() else { panic!("two contenders") };
    assert!(wall.early > 100, "{}", wall.early);
    assert_eq!((server.early, server.ended(End::Success)), (0, 300));
}

#[test]
fn without_skew_a_date_is_waited_for() {
    let report = run(&SKEWED.replace("clock_skew = \"5s\"", ""));
    assert!(report.runs.iter().all(|run| run.early == 0 && run.ended(End::Success) == 300));
}

#[test]
fn no_rounding_makes_a_send_early_that_comes_as_soon_as_it_may() {
    let odd = SKEWED.replace("clock_skew = \"5s\"", "").replace("form = \"date\"", "after = \"7s\"");
    let odd = odd
        .replace("\"at-once\"", "\"poisson\"\nper_second = 77")
        .replace("hints = {", "hints = { mode = \"instead\", ");
    let report = run(&odd);
    assert!(report.runs.iter().all(|run| run.early == 0 && run.returned > 290), "{}", report.to_table());
}

#[test]
fn who_loses_patience_ends_at_once_as_cancelled_and_what_is_worked_on_is_wasted() {
    let text = SKEWED.replace("clock_skew = \"5s\"", "give_up = \"10s\"");
    let impatient = run(&text);
    for run in &impatient.runs {
        assert_eq!((run.ended(End::Cancelled), run.completed_ms), (300, 10_000));
    }
    let slow = text.replace("until = \"30s\"", "until = \"1ms\"").replace("5ms", "20s");
    for run in &run(&slow).runs {
        assert_eq!((run.ended(End::Cancelled), run.wasted), (300, 300));
    }
}

#[test]
fn an_attempt_that_is_never_answered_ends_with_its_time_out() {
    let text = SKEWED
        .replace("answer = 503", "answer = \"silence\"")
        .replace("hints = {", "limits = { attempt_timeout = \"10s\", max_attempts = 3 }\n hints = {");
    for run in &run(&text).runs {
        // At 0 s, 10 s and 20 s and a little, all of them into the outage.
        assert_eq!((run.ended(End::AttemptsUsed), run.sends, run.returned), (300, 900, 300));
        assert!((30_000..34_000).contains(&run.completed_ms), "{}", run.completed_ms);
    }
}

#[test]
fn a_layer_whose_attempt_times_out_while_the_one_below_waits_as_it_was_told_is_not_early() {
    let tiers = r#"
[policies.listens]
schema = 1
name = "listens"
version = "1.0.0"
[policies.hasty]
schema = 1
name = "hasty"
version = "1.0.0"
budget = "none"
limits = { attempt_timeout = "2s", deadline = "none" }
[[contender]]
label = "together"
tiers = ["hasty", "listens"]
[[contender]]
label = "each for itself"
tiers = ["hasty", "listens"]
nesting = "ignored"
"#;
    let report = run(&(SKEWED.replace("clock_skew = \"5s\"", "").replace("\"date\"", "\"seconds\"") + tiers));
    let early = |label: &str| report.runs.iter().find(|run| run.policy == label).map(|run| run.early);
    assert_eq!(early("together"), Some(0));
    assert!(early("each for itself") > Some(0), "{}", report.to_table());
}

#[test]
fn what_is_open_at_the_horizon_is_counted() {
    let text = SKEWED.replace("clock_skew = \"5s\"", "horizon = \"15s\"");
    for run in &run(&text).runs {
        assert_eq!((run.unfinished, run.ended(End::Cancelled), run.requests), (300, 300, 300));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn every_request_ends_once_and_every_send_arrives(
        clients in 1..60_u32,
        requests in 1..4_u32,
        seed: u64,
        arrivals in prop_oneof![
            Just("process = \"at-once\""),
            Just("process = \"fixed\"\nper_second = 100"),
            Just("process = \"poisson\"\nper_second = 50"),
        ],
        (workers, queue) in (1..5_u32, 0..20_u32),
        outage in prop_oneof![Just("503"), Just("\"refused\""), Just("\"silence\"")],
        limit in prop_oneof![
            Just(""),
            Just("[rate_limit]\nkind = \"fixed-window\"\nrequests = 5\nwindow = \"1s\""),
            Just("[rate_limit]\nkind = \"token-bucket\"\nper_second = 10\nburst = 3"),
        ],
        hint in prop_oneof![Just(""), Just("[retry_after]"), Just("[retry_after]\nafter = \"2s\"\nspread = \"3s\"")],
        (tiers, nesting) in (1..4_usize, prop_oneof![Just("counted"), Just("ignored")]),
        patience in prop_oneof![Just(""), Just("give_up = \"3s\"")],
        budget in prop_oneof![Just("client"), Just("fleet")],
    ) {
        let tiers = vec!["\"timed\""; tiers].join(", ");
        let text = format!(r#"
            name = "any"
            clients = {clients}
            requests_per_client = {requests}
            budget_per = "{budget}"
            {patience}
            [arrivals]
            {arrivals}
            [server]
            workers = {workers}
            queue = {queue}
            service = {{ mean = "50ms", distribution = "exponential" }}
            [outage]
            from = "200ms"
            until = "2s"
            answer = {outage}
            [brown_out]
            from = "2s"
            until = "4s"
            failing_percent = 50
            slowdown = 3
            {limit}
            {hint}
            [policies.timed]
            schema = 1
            name = "timed"
            version = "1.0.0"
            limits = {{ max_attempts = 3, attempt_timeout = "1s" }}
            [[contender]]
            tiers = [{tiers}]
            nesting = "{nesting}"
        "#);
        let report = run_with(&text, seed);
        let run = &report.runs[0];
        prop_assert_eq!(run.requests, u64::from(clients * requests));
        prop_assert_eq!(run.ends.iter().map(|ended| ended.requests).sum::<u64>(), run.requests);
        prop_assert_eq!((run.sends, run.unfinished), (run.received, 0));
        prop_assert_eq!(run.load.offered.iter().sum::<u64>(), run.received);
        prop_assert_eq!(run.load.served.iter().sum::<u64>(), run.served);
        prop_assert_eq!(run.load.delivered.iter().sum::<u64>(), run.ended(End::Success));
        prop_assert!(run.served >= run.ended(End::Success));
        let lost = run.received - run.served - run.turned_away;
        prop_assert!(lost == 0 || outage == "\"silence\"", "{} lost", lost);
        // A layer above whose attempt times out while the one below waits has not heard what the server asked.
        prop_assert!(run.early == 0 || run.tiers > 1, "{} early", run.early);
        let most = if nesting == "counted" { 3 } else { 27 };
        prop_assert!(run.sends <= most * run.requests);
        prop_assert!([End::InvalidInput, End::MalformedExecution, End::ForeignExecution].iter().all(|end| run.ended(*end) == 0));
    }
}

fn run(text: &str) -> Report {
    run_with(text, 1)
}

fn run_with(text: &str, seed: u64) -> Report {
    let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{error}"));
    simulate(&scenario, seed, &|_| ())
}
