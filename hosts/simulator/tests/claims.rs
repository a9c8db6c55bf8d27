//! What the scenarios that come with the crate are there to show.

use refrain_simulator::{Report, Run, SCENARIOS, Scenario, simulate};

#[test]
fn without_jitter_those_that_failed_together_come_back_together() {
    let report = run("outage");
    let [none, equal, full] = ["no-jitter", "equal-jitter", "full-jitter"].map(|policy| of(&report, policy));
    assert_eq!(none.peak_returned, none.returned);
    assert!(3 * full.peak_returned < none.peak_returned && full.peak_returned < equal.peak_returned);
    assert!(none.goodput.thousandths() < 200 && full.goodput.thousandths() > 990);
    assert!(full.recovery_ms < none.recovery_ms);
}

#[test]
fn a_spread_hint_lowers_the_share_that_returns_in_the_same_100_ms_whoever_spreads_it() {
    let (same, spread) = (run("rate-limit"), run("rate-limit-spread"));
    let peak = |report: &Report, policy| of(report, policy).peak_returned_share.thousandths();
    assert_eq!(peak(&same, "obeys"), 1_000);
    assert!(peak(&same, "spreads") < 50, "the client adds a random share");
    assert!(peak(&spread, "obeys") < 150, "the server tells each another time");
}

#[test]
fn nobody_who_listens_is_early_and_who_does_not_is() {
    for name in ["rate-limit", "rate-limit-spread"] {
        let report = run(name);
        for run in &report.runs {
            assert_eq!(run.early > 0, run.policy == "deaf", "{name}, {}: {} early", run.policy, run.early);
        }
    }
}

#[test]
fn a_budget_bounds_the_amplification_of_a_brown_out() {
    let report = run("brown-out");
    let [none, aws, grpc] = ["no-budget", "aws-budget", "grpc-budget"].map(|policy| of(&report, policy));
    assert!(none.amplification.thousandths() > 1_700);
    assert!(aws.amplification.thousandths() < 1_200 && grpc.amplification.thousandths() < 1_050);
    assert!(aws.recovery_ms < none.recovery_ms && grpc.recovery_ms < none.recovery_ms);
    // At most what was in the buckets at first, and what successes put there: five tokens a retry, one for each success.
    assert!(aws.sends - aws.requests <= 50 * 100 + aws.served);
}

#[test]
fn layers_that_count_together_do_not_multiply() {
    let report = run("tiers");
    let [one, counted, ignored] =
        ["one layer", "three, counted", "three, each for itself"].map(|policy| of(&report, policy));
    assert_eq!(counted.sends, one.sends);
    assert!(counted.sends <= 4 * counted.requests);
    // 4 · 4 · 4 sends for each request that failed, one for each that did not.
    let failed = ignored.requests - ignored.served;
    assert_eq!(ignored.sends, 64 * failed + ignored.served);
}

#[test]
fn contention_comes_out_in_the_order_that_amazon_published() {
    let report = run("contention");
    for clients in [60, 100, 160, 200] {
        let at = |policy| find(&report, policy, clients);
        let [none, equal, full, decorrelated] = ["none", "equal", "full", "decorrelated"].map(at);
        // "The no-jitter exponential backoff approach is the clear loser."
        assert!(none.sends > equal.sends && none.sends > full.sends && none.sends > decorrelated.sends, "{clients}");
        assert!(none.completed_ms > 3 * equal.completed_ms, "{clients}");
        // "Of the jittered approaches, Equal Jitter is the loser": about as many calls, and much longer.
        assert!(equal.completed_ms > full.completed_ms, "{clients}");
        assert!(equal.sends.abs_diff(full.sends) * 20 < full.sends, "{clients}");
        // "Full Jitter uses less work, but slightly more time" than the decorrelated one.
        assert!(full.sends < decorrelated.sends && full.completed_ms > decorrelated.completed_ms, "{clients}");
    }
    let work = |policy| {
        find(&report, policy, 200).amplification.thousandths() * 1_000
            / find(&report, policy, 100).amplification.thousandths()
    };
    // Twice as many clients: without jitter each of them works half as much again, with it a fifth.
    assert!(work("none") > 1_400 && work("full") < 1_300, "{} {}", work("none"), work("full"));
}

#[test]
fn a_decorrelated_draw_that_is_cut_after_it_was_drawn_stays_at_the_cap_two_times_of_three() {
    let report = run("cut-draws");
    let [ours, cut] = ["decorrelated", "decorrelated, cut"].map(|policy| of(&report, policy));
    assert!(ours.longest_wait_share.thousandths() < 10 && ours.longest_wait_again_share.thousandths() < 10);
    assert!((350..420).contains(&cut.longest_wait_share.thousandths()), "{}", cut.longest_wait_share);
    // (3 · cap − cap) of the (3 · cap − base) that are drawn from.
    assert!((665..690).contains(&cut.longest_wait_again_share.thousandths()), "{}", cut.longest_wait_again_share);
}

fn scenario(name: &str) -> Scenario {
    let (_, text) = SCENARIOS.into_iter().find(|(known, _)| *known == name).expect("a scenario of this name");
    Scenario::parse(text).expect("a scenario that comes with the crate")
}

fn run(name: &str) -> Report {
    let scenario = scenario(name);
    simulate(&scenario, scenario.seed(), &|_| ())
}

fn of<'a>(report: &'a Report, policy: &str) -> &'a Run {
    report.runs.iter().find(|run| run.policy == policy).expect("a policy of this name")
}

fn find<'a>(report: &'a Report, policy: &str, clients: u32) -> &'a Run {
    report.runs.iter().find(|run| run.policy == policy && run.clients == clients).expect("a run")
}
