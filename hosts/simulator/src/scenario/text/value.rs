//! Values as they are written.

use policy_core::Millis;
use refrain_document::duration;
use serde::{Deserialize, Deserializer, de::Error};

use crate::{
    draw::Length,
    micros::Micros,
    scenario::{ScenarioError, Window},
};

/// A span such as `1.5s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Duration(pub(super) Millis);

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        duration::parse(&text).map(Self).map_err(|error| D::Error::custom(format!("{error}, found `{text}`")))
    }
}

impl Duration {
    pub(super) const fn micros(self) -> Micros {
        Micros::from_millis(self.0)
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LengthText {
    mean: Duration,
    #[serde(default)]
    distribution: Distribution,
    deviation: Option<Duration>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Distribution {
    #[default]
    Fixed,
    Exponential,
    Normal,
}

impl LengthText {
    pub(super) const fn ten_millis() -> Self {
        Self { mean: Duration(Millis::new(10)), distribution: Distribution::Fixed, deviation: None }
    }

    pub(super) fn check(self, key: &str) -> Result<Length, ScenarioError> {
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

pub(super) fn gap(key: &str, per_second: u32) -> Result<Micros, ScenarioError> {
    match per_second {
        1..=1_000_000 => Ok(Micros::new(1_000_000 / u64::from(per_second))),
        _ => Err(ScenarioError::value(key, "from 1 to 1000000")),
    }
}

pub(super) fn status(key: &str, status: u16) -> Result<u16, ScenarioError> {
    match status {
        400..=599 => Ok(status),
        _ => Err(ScenarioError::value(key, "a status from 400 to 599")),
    }
}

pub(super) fn window(key: &str, from: Duration, until: Duration) -> Result<Window, ScenarioError> {
    match from.0 < until.0 {
        true => Ok(Window { from: from.micros(), until: until.micros() }),
        false => Err(ScenarioError::value(format!("{key}.until"), format!("a moment after `{key}.from`"))),
    }
}
