//! A scenario as it is written.

use std::collections::BTreeMap;

use policy_core::Millis;
use refrain_document::duration;
use serde::{Deserialize, Deserializer, de::Error};

use super::{
    Arrivals, BrownOut, Contention, Limit, LimitKind, Outage, OutageAnswer, RetryAfter, Scenario, ScenarioError,
    ServerSpec, Sharing, Window,
};
use crate::{
    contender::{self, Nesting},
    draw::Length,
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

/// A span such as `1.5s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Duration(Millis);

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        duration::parse(&text).map(Self).map_err(|error| D::Error::custom(format!("{error}, found `{text}`")))
    }
}

impl Duration {
    const fn micros(self) -> Micros {
        Micros::from_millis(self.0)
    }
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

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct LengthText {
    mean: Duration,
    #[serde(default)]
    distribution: Distribution,
    deviation: Option<Duration>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Distribution {
    #[default]
    Fixed,
    Exponential,
    Normal,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerText {
    workers: u32,
    #[serde(default)]
    queue: u32,
    service: LengthText,
    #[serde(default = "busy")]
    busy_status: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutageText {
    from: Duration,
    until: Duration,
    answer: AnswerText,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a status, `refused` or `silence`")]
enum AnswerText {
    Status(u16),
    Word(AnswerWord),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AnswerWord {
    Refused,
    Silence,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BrownOutText {
    from: Duration,
    until: Duration,
    #[serde(default)]
    failing_percent: u32,
    #[serde(default = "one")]
    slowdown: u32,
    #[serde(default = "busy")]
    status: u16,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum LimitText {
    FixedWindow { requests: u32, window: Duration, status: Option<u16> },
    TokenBucket { per_second: u32, burst: u32, status: Option<u16> },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContentionText {
    #[serde(default = "busy")]
    status: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryAfterText {
    #[serde(default)]
    form: Form,
    after: Option<Duration>,
    #[serde(default)]
    spread: Duration,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    #[default]
    Seconds,
    Date,
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

    fn server(&self) -> Result<ServerSpec, ScenarioError> {
        let (workers, queue, service, busy_status) = match (&self.server, &self.contention) {
            (Some(server), None) => {
                (server.workers, server.queue, server.service.check("server.service")?, server.busy_status)
            }
            // It answers at once: what takes time is the way.
            (None, Some(_)) => (u32::MAX, 0, Length::Fixed(Micros::ZERO), busy()),
            _ => return Err(ScenarioError::value("server", "either `server` or `contention`")),
        };
        if workers == 0 {
            return Err(ScenarioError::value("server.workers", "at least 1"));
        }
        let spec = ServerSpec {
            workers,
            queue,
            service,
            busy_status: status("server.busy_status", busy_status)?,
            outage: self.outage.as_ref().map(OutageText::check).transpose()?,
            brown_out: self.brown_out.as_ref().map(BrownOutText::check).transpose()?,
            limit: self.rate_limit.as_ref().map(LimitText::check).transpose()?,
            contention: self.contention.as_ref().map(ContentionText::check).transpose()?,
            retry_after: self.retry_after.as_ref().map(RetryAfterText::check),
        };
        let disturbed = spec.outage.is_some() || spec.brown_out.is_some() || spec.limit.is_some();
        match spec.contention {
            Some(_) if disturbed => {
                Err(ScenarioError::value("contention", "no outage, brown-out or rate limit beside it"))
            }
            _ => Ok(spec),
        }
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
        let requests = clients.checked_mul(scenario.requests);
        *clients > 0 && requests.is_some_and(|requests| requests <= Scenario::REQUESTS_MAX)
    };
    match scenario.client_counts().iter().all(fits) {
        true => Ok(()),
        false => {
            let most = Scenario::REQUESTS_MAX;
            Err(ScenarioError::value("clients", format!("at least 1 client, and at most {most} requests in all")))
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

fn gap(key: &str, per_second: u32) -> Result<Micros, ScenarioError> {
    match per_second {
        1..=1_000_000 => Ok(Micros::new(1_000_000 / u64::from(per_second))),
        _ => Err(ScenarioError::value(key, "from 1 to 1000000")),
    }
}

fn status(key: &str, status: u16) -> Result<u16, ScenarioError> {
    match status {
        400..=599 => Ok(status),
        _ => Err(ScenarioError::value(key, "a status from 400 to 599")),
    }
}

fn window(key: &str, from: Duration, until: Duration) -> Result<Window, ScenarioError> {
    match from.0 < until.0 {
        true => Ok(Window { from: from.micros(), until: until.micros() }),
        false => Err(ScenarioError::value(format!("{key}.until"), format!("a moment after `{key}.from`"))),
    }
}

impl LengthText {
    const fn ten_millis() -> Self {
        Self { mean: Duration(Millis::new(10)), distribution: Distribution::Fixed, deviation: None }
    }

    fn check(self, key: &str) -> Result<Length, ScenarioError> {
        let mean = self.mean.micros();
        match (self.distribution, self.deviation) {
            (Distribution::Fixed, None) => Ok(Length::Fixed(mean)),
            (Distribution::Exponential, None) => Ok(Length::Exponential(mean)),
            (Distribution::Normal, Some(deviation)) => Ok(Length::Normal { mean, deviation: deviation.micros() }),
            (Distribution::Normal, None) => Err(ScenarioError::value(format!("{key}.deviation"), "one")),
            (_, Some(_)) => Err(ScenarioError::value(format!("{key}.deviation"), "none, unless it is `normal`")),
        }
    }
}

impl OutageText {
    fn check(&self) -> Result<Outage, ScenarioError> {
        let answer = match self.answer {
            AnswerText::Status(code) => OutageAnswer::Status(status("outage.answer", code)?),
            AnswerText::Word(AnswerWord::Refused) => OutageAnswer::Refused,
            AnswerText::Word(AnswerWord::Silence) => OutageAnswer::Silence,
        };
        Ok(Outage { window: window("outage", self.from, self.until)?, answer })
    }
}

impl BrownOutText {
    fn check(&self) -> Result<BrownOut, ScenarioError> {
        if self.failing_percent > 100 {
            return Err(ScenarioError::value("brown_out.failing_percent", "from 0 to 100"));
        }
        if !(1..=1_000).contains(&self.slowdown) {
            return Err(ScenarioError::value("brown_out.slowdown", "from 1 to 1000"));
        }
        let window = window("brown_out", self.from, self.until)?;
        let (share, slowdown) = (self.failing_percent * 10, self.slowdown);
        Ok(BrownOut { window, share, slowdown, status: status("brown_out.status", self.status)? })
    }
}

impl LimitText {
    fn check(&self) -> Result<Limit, ScenarioError> {
        let (kind, code) = match *self {
            Self::FixedWindow { requests, window, status } => {
                if requests == 0 || window.0 == Millis::ZERO {
                    return Err(ScenarioError::value("rate_limit", "at least 1 request in a window of some length"));
                }
                (LimitKind::FixedWindow { requests, window: window.micros() }, status)
            }
            Self::TokenBucket { per_second, burst, status } => {
                let interval = gap("rate_limit.per_second", per_second)?;
                (LimitKind::TokenBucket { interval, burst }, status)
            }
        };
        Ok(Limit { kind, status: status("rate_limit.status", code.unwrap_or(429))? })
    }
}

impl ContentionText {
    fn check(&self) -> Result<Contention, ScenarioError> {
        Ok(Contention { status: status("contention.status", self.status)? })
    }
}

impl RetryAfterText {
    fn check(&self) -> RetryAfter {
        let after = self.after.map(Duration::micros);
        RetryAfter { date: self.form == Form::Date, after, spread: self.spread.micros() }
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
