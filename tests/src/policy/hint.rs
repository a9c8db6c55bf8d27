//! What a vector's policy says about hints.

use policy_core::{
    BadValue, DateRules, HintField, HintFields, HintMode, HintRules, StatusSet, Thousandths, Unit, Unreadable,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plain;
use crate::schema::{bad_values, units};

/// Hint rules in a vector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "named as in `policy_core::HintRules`")]
pub struct HintSpec {
    /// The fields that are read, the most trusted first; Retry-After alone where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<FieldSpec>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statuses: Option<Vec<u16>>,
    /// `at-least`, `instead` or `instead-zero-at-once`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["at-least", "instead", "instead-zero-at-once"]))]
    pub mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obsolete_dates: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_dates: Option<bool>,
    /// `lower-bound` or `backoff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["lower-bound", "backoff"]))]
    pub unreadable: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew_from_date: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_backoff: Option<bool>,
}

/// A hint field in a vector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "named as in `policy_core::HintField`")]
pub struct FieldSpec {
    pub name: String,
    /// `seconds` where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = units()))]
    pub unit: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub decimals: bool,
    /// `next` where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = bad_values()))]
    pub bad_value: Option<String>,
}

impl HintSpec {
    pub(super) fn rules(&self) -> Result<HintRules, String> {
        let plain = plain().hint;
        Ok(HintRules {
            fields: self.fields.as_deref().map_or(Ok(plain.fields), fields)?,
            statuses: self.statuses.as_deref().map_or(plain.statuses, StatusSet::of),
            mode: match self.mode.as_deref() {
                None | Some("at-least") => HintMode::AtLeast,
                Some("instead") => HintMode::Instead { zero_at_once: false },
                Some("instead-zero-at-once") => HintMode::Instead { zero_at_once: true },
                Some(other) => return Err(format!("expected a hint mode, found `{other}`")),
            },
            spread: self.spread.map_or(plain.spread, Thousandths::new),
            dates: DateRules {
                obsolete: self.obsolete_dates.unwrap_or(plain.dates.obsolete),
                strict: self.strict_dates.unwrap_or(plain.dates.strict),
            },
            unreadable: match self.unreadable.as_deref() {
                None | Some("lower-bound") => Unreadable::LowerBound,
                Some("backoff") => Unreadable::Backoff,
                Some(other) => return Err(format!("expected `lower-bound` or `backoff`, found `{other}`")),
            },
            skew_from_date: self.skew_from_date.unwrap_or(plain.skew_from_date),
            resets_backoff: self.resets_backoff.unwrap_or(plain.resets_backoff),
        })
    }
}

fn fields(list: &[FieldSpec]) -> Result<HintFields, String> {
    list.iter().try_fold(HintFields::EMPTY, |fields, spec| {
        fields.with(spec.field()?).ok_or_else(|| "expected fewer or shorter hint fields".to_owned())
    })
}

impl FieldSpec {
    pub(super) fn of(field: &HintField<'_>) -> Self {
        Self {
            name: field.name.to_owned(),
            unit: (field.unit != Unit::Seconds).then(|| field.unit.name().to_owned()),
            decimals: field.decimals,
            bad_value: (field.bad_value != BadValue::Next).then(|| field.bad_value.name().to_owned()),
        }
    }

    fn field(&self) -> Result<HintField<'_>, String> {
        let unit = self.unit.as_deref().unwrap_or(Unit::Seconds.name());
        let bad = self.bad_value.as_deref().unwrap_or(BadValue::Next.name());
        Ok(HintField {
            name: &self.name,
            unit: Unit::ALL
                .into_iter()
                .find(|known| known.name() == unit)
                .ok_or_else(|| format!("expected a unit, found `{unit}`"))?,
            decimals: self.decimals,
            bad_value: BadValue::ALL
                .into_iter()
                .find(|known| known.name() == bad)
                .ok_or_else(|| format!("expected what a bad value does, found `{bad}`"))?,
        })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}
