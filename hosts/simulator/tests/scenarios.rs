//! Scenarios as they are written: what is refused, and what it is told.

use refrain_document::ready;
use refrain_simulator::{Contender, SCENARIOS, Scenario, simulate};

const PLAIN: &str = r#"
name = "plain"
clients = 10
[arrivals]
process = "at-once"
[server]
workers = 1
service = { mean = "1ms" }
[[contender]]
policy = "polite-default"
"#;

#[test]
fn every_scenario_that_comes_with_the_crate_is_read_under_its_name_and_described() {
    for (name, text) in SCENARIOS {
        let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(scenario.name(), name);
        assert!(scenario.description().len() > 100 && scenario.contenders().len() > 1, "{name}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place_and_what_was_expected() {
    let cases = [
        ("clients = 10", "clients = 0", "`clients`: expected at least 1 client"),
        ("clients = 10", "clients = 50_000_001", "at most 50000000 requests"),
        ("clients = 10", "clients = 10\nsweep = [1]", "either `clients`, or `sweep`"),
        ("clients = 10", "clients = 10\nrepeats = 0", "`repeats`: expected from 1 to 10000"),
        ("clients = 10", "clients = 10\nhorizon = \"8d\"", "`horizon`: expected at most `7d`"),
        ("clients = 10", "clients = 10\nclient_skew = \"1s\"", "unknown field `client_skew`"),
        ("\"at-once\"", "\"fixed\"\nper_second = 0", "`arrivals.per_second`: expected from 1 to 1000000"),
        ("\"at-once\"", "\"often\"", "unknown variant `often`"),
        ("workers = 1", "workers = 0", "`server.workers`: expected at least 1"),
        ("workers = 1", "workers = 1\nbusy_status = 200", "`server.busy_status`: expected a status from 400 to 599"),
        ("\"1ms\"", "\"1\"", "expected numbers and units, such as `250ms`"),
        ("\"1ms\"", "\"1ms\", distribution = \"normal\"", "`server.service.deviation`: expected one"),
        (
            "[[c",
            "[outage]\nfrom = \"5s\"\nuntil = \"5s\"\nanswer = 503\n[[c",
            "`outage.until`: expected a moment after `outage.from`",
        ),
        (
            "[[c",
            "[outage]\nfrom = \"1s\"\nuntil = \"5s\"\nanswer = \"slow\"\n[[c",
            "expected a status, `refused` or `silence`",
        ),
        ("[[c", "[contention]\n[[c", "`server`: expected either `server` or `contention`"),
        (
            "\"polite-default\"",
            "\"polite\"",
            "policy `polite`: expected a table `policies.polite` or a ready-made policy (polite-default",
        ),
        ("policy = \"polite-default\"", "", "`contender[0]`: expected either `policy` or `tiers`"),
        (
            "\"polite-default\"",
            "\"polite-default\"\nprevious_draw_is_cut = true",
            "one decorrelated policy with a ceiling",
        ),
        ("\"polite-default\"", "\"mine\"\n[policies.mine]\nschema = 2", "policy `mine`: error: "),
    ];
    assert!(Scenario::parse(PLAIN).is_ok());
    for (from, to, expected) in cases {
        let text = PLAIN.replace(from, to);
        let error = Scenario::parse(&text).err().unwrap_or_else(|| panic!("accepted: {to}")).to_string();
        assert!(error.contains(expected), "{to}: {error}");
    }
}

#[test]
fn changes_take_the_place_of_what_a_scenario_says_and_are_checked_as_it_is() {
    let changed = |changes| Scenario::parse_with(PLAIN, changes);
    let scenario = changed("name = 'other'\nclients = 7\nserver.queue = 3").expect("the same server with a queue");
    assert_eq!((scenario.name(), scenario.client_counts()), ("other", [7].as_slice()));
    let added = changed("outage = { from = '0s', until = '0s', answer = 503 }").expect_err("no time");
    assert!(added.to_string().contains("`outage.until`: expected a moment after"), "{added}");
    let unread = changed("server = ").expect_err("no TOML");
    assert!(unread.to_string().contains("TOML parse error"), "{unread}");
    assert!(changed("server.worker = 3").expect_err("no key").to_string().contains("unknown field `worker`"));
}

#[test]
fn policies_stand_in_each_arrangement_of_tiers_that_the_scenario_has() {
    let (_, tiers) = SCENARIOS.into_iter().find(|(name, _)| *name == "tiers").expect("a scenario of this name");
    let stripe = ready::find("stripe").expect("a ready-made policy").document();
    let scenario = Scenario::parse(tiers).and_then(|scenario| scenario.with_policies(&[stripe])).expect("a policy");
    let labels: Vec<_> = scenario.contenders().iter().map(Contender::label).collect();
    assert_eq!(labels, ["stripe", "stripe, 3 tiers, nesting counted", "stripe, 3 tiers, nesting ignored"]);
    let none = scenario.with_policies(&[]).expect_err("nobody to compare");
    assert_eq!(none.to_string(), "`contender`: expected at least one");
}

#[test]
fn a_scenario_that_is_written_gives_what_it_gave() {
    let documents = ["stripe", "stripe", "grpc-a6"].map(|name| ready::find(name).expect("ready-made").document());
    for (name, text) in SCENARIOS {
        let changes = "clients = 40\nsweep = []\nhorizon = '10m'";
        let given = Scenario::parse_with(text, changes).and_then(|given| given.with_policies(&documents));
        let written = Scenario::write(text, changes, &documents).and_then(|text| Scenario::parse(&text));
        let [given, written] = [given, written].map(|scenario| {
            let scenario = scenario.unwrap_or_else(|error| panic!("{name}: {error}"));
            simulate(&scenario, 5, &|_| ())
        });
        assert_eq!(given, written, "{name}");
    }
}
