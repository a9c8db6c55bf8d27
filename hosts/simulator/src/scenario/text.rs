//! A scenario as it is written.

mod changes;
mod server;
mod value;

use std::collections::BTreeMap;

use policy_core::Millis;
use serde::Deserialize;

pub(super) use self::changes::{read_with, write};
use self::{
    server::{BrownOutText, ContentionText, LimitText, OutageText, RetryAfterText, ServerText},
    value::{Duration, LengthText, gap},
};
use super::{Arrivals, Scenario, ScenarioError, Sharing};
use crate::{
    contender::{self, Nesting},
    micros::Micros,
};

/// Reads and checks a scenario.
pub(super) fn read(text: &str) -> Result<Scenario, ScenarioError> {
    let file: File = toml::from_str(text).map_err(|error| ScenarioError::Text(error.to_string()))?;
    file.check()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default = "one_seed")]
    seed: u64,
    clients: Option<u32>,
    #[serde(default)]
    sweep: Vec<u32>,
    #[serde(default = "one")]
    repeats: u32,
    #[serde(default = "one")]
    requests_per_client: u32,
    #[serde(default = "one_hour")]
    horizon: Duration,
    give_up: Option<Duration>,
    #[serde(default)]
    clock_skew: Duration,
    #[serde(default)]
    budget_per: BudgetText,
    arrivals: ArrivalsText,
    #[serde(default = "LengthText::ten_millis")]
    network: LengthText,
    server: Option<ServerText>,
    outage: Option<OutageText>,
    brown_out: Option<BrownOutText>,
    rate_limit: Option<LimitText>,
    contention: Option<ContentionText>,
    retry_after: Option<RetryAfterText>,
    #[serde(default)]
    policies: BTreeMap<String, toml::Table>,
    #[serde(rename = "contender")]
    contenders: Vec<ContenderText>,
}

const fn one() -> u32 {
    1
}

const fn one_seed() -> u64 {
    1
}

const fn one_hour() -> Duration {
    Duration(Millis::from_secs(3_600))
}

const fn busy() -> u16 {
    503
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BudgetText {
    #[default]
    Client,
    Fleet,
}

#[derive(Deserialize)]
#[serde(tag = "process", rename_all = "kebab-case", deny_unknown_fields)]
enum ArrivalsText {
    AtOnce {},
    Fixed { per_second: u32 },
    Poisson { per_second: u32 },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContenderText {
    label: Option<String>,
    policy: Option<String>,
    #[serde(default)]
    tiers: Vec<String>,
    #[serde(default)]
    nesting: Nesting,
    #[serde(default)]
    previous_draw_is_cut: bool,
}

impl File {
    fn check(self) -> Result<Scenario, ScenarioError> {
        let contenders = self.contenders()?;
        let server = self.server()?;
        let arrivals = match self.arrivals {
            ArrivalsText::AtOnce {} => Arrivals::AtOnce,
            ArrivalsText::Fixed { per_second } => Arrivals::Fixed(gap("arrivals.per_second", per_second)?),
            ArrivalsText::Poisson { per_second } => Arrivals::Poisson(gap("arrivals.per_second", per_second)?),
        };
        let budget = match self.budget_per {
            BudgetText::Client => Sharing::Client,
            BudgetText::Fleet => Sharing::Fleet,
        };
        if self.sweep.is_empty() == self.clients.is_none() {
            return Err(ScenarioError::value("clients", "either `clients`, or `sweep` with several numbers of them"));
        }
        let scenario = Scenario {
            name: self.name,
            description: self.description.trim().to_owned(),
            seed: self.seed,
            clients: self.clients.unwrap_or(0),
            requests: self.requests_per_client,
            sweep: self.sweep,
            repeats: self.repeats,
            horizon: self.horizon.micros(),
            arrivals,
            give_up: self.give_up.map(Duration::micros),
            skew: self.clock_skew.0,
            budget,
            network: self.network.check("network")?,
            server,
            contenders,
        };
        check_size(&scenario)?;
        check_horizon(&scenario)?;
        Ok(scenario)
    }

    fn contenders(&self) -> Result<Vec<contender::Contender>, ScenarioError> {
        if self.contenders.is_empty() {
            return Err(ScenarioError::value("contender", "at least one"));
        }
        self.contenders.iter().enumerate().map(|(at, text)| text.check(at, &self.policies)).collect()
    }
}

/// Refuses a fleet of nobody, and one that does not fit.
pub(super) fn check_size(scenario: &Scenario) -> Result<(), ScenarioError> {
    if scenario.requests == 0 {
        return Err(ScenarioError::value("requests_per_client", "at least 1"));
    }
    if !(1..=10_000).contains(&scenario.repeats) {
        return Err(ScenarioError::value("repeats", "from 1 to 10000"));
    }
    let fits = |clients: &u32| {
        let requests =
            clients.checked_mul(scenario.requests).and_then(|requests| requests.checked_mul(scenario.repeats));
        *clients > 0 && requests.is_some_and(|requests| requests <= Scenario::REQUESTS_MAX)
    };
    match scenario.client_counts().iter().all(fits) {
        true => Ok(()),
        false => {
            let most = Scenario::REQUESTS_MAX;
            Err(ScenarioError::value(
                "clients",
                format!("at least 1 client, and at most {most} requests in all repeats"),
            ))
        }
    }
}

fn check_horizon(scenario: &Scenario) -> Result<(), ScenarioError> {
    const WEEK: Millis = Millis::from_secs(7 * 24 * 3_600);
    match scenario.horizon {
        Micros::ZERO => Err(ScenarioError::value("horizon", "more than no time")),
        horizon if horizon > Micros::from_millis(WEEK) => Err(ScenarioError::value("horizon", "at most `7d`")),
        _ => Ok(()),
    }
}

impl ContenderText {
    fn check(
        &self,
        at: usize,
        policies: &BTreeMap<String, toml::Table>,
    ) -> Result<contender::Contender, ScenarioError> {
        let names = match (&self.policy, self.tiers.as_slice()) {
            (Some(name), []) => std::slice::from_ref(name),
            (None, names @ [_, ..]) => names,
            _ => return Err(ScenarioError::value(format!("contender[{at}]"), "either `policy` or `tiers`")),
        };
        let policies = names.iter().map(|name| contender::policy(name, policies)).collect::<Result<Vec<_>, _>>()?;
        let label = self.label.clone().unwrap_or_else(|| names.join(" → "));
        let contender = contender::Contender::new(label, policies, self.nesting)?;
        match self.previous_draw_is_cut {
            true => contender.cut_previous_draw(),
            false => Ok(contender),
        }
    }
}
