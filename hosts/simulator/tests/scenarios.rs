//! Scenarios as they are written: what is refused, and what it is told.

use refrain_simulator::{SCENARIOS, Scenario};

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
