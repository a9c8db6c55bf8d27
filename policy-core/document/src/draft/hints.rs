//! What the server may say about when to come back.

mod field;

use policy_core::{DateRules, HintFields, HintMode, HintRules, Rules, StatusSet, Thousandths, Unreadable};

pub(crate) use self::field::{Field, KNOWN, SECRET, field_name};
use crate::{
    draft::{
        backoff::FACTOR_MAX,
        retry::{Statuses, statuses},
    },
    problem::Problem,
    table::{At, Read, Table},
    tree::{Node, Value},
    value::{boolean, expected, factor, list, stands_twice, word},
};

/// How a hint and the local backoff go together, by its word: whether the hint stands in the backoff's place.
pub(crate) const MODES: [(&str, bool); 2] = [("at-least", false), ("instead", true)];
/// What a hint of zero means, by its word: whether it means at once.
pub(crate) const ZEROS: [(&str, bool); 2] = [("backoff", false), ("at-once", true)];
/// What an unreadable hint does, by its word.
pub(crate) const UNREADABLE: [(&str, Unreadable); 2] =
    [("lower-bound", Unreadable::LowerBound), ("backoff", Unreadable::Backoff)];
/// Which clock dates are measured against, by its word: whether it is the server's.
pub(crate) const CLOCKS: [(&str, bool); 2] = [("wall", false), ("server-date", true)];
/// The word for every status.
pub(crate) const ALL: &str = "all";

pub(crate) struct Hints {
    pub(crate) fields: At<Vec<At<Field>>>,
    pub(crate) statuses: At<Statuses>,
    /// Whether the hint stands in the backoff's place.
    pub(crate) instead: At<bool>,
    /// Whether a hint of zero means at once, if it was said.
    pub(crate) zero_at_once: Option<At<bool>>,
    pub(crate) spread: At<Thousandths>,
    pub(crate) obsolete_dates: bool,
    pub(crate) strict_dates: bool,
    pub(crate) unreadable: Unreadable,
    /// Whether dates are measured against the response's own.
    pub(crate) server_date: At<bool>,
    pub(crate) resets_backoff: bool,
}

impl Hints {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let rules = Rules::DEFAULT.hint;
        let fields = rules.fields.iter().map(|field| At::default(Field::from(field))).collect();
        let instead = matches!(rules.mode, HintMode::Instead { .. });
        Self {
            fields: table.get_or("fields", fields, self::fields),
            statuses: table.get_or("statuses", Statuses::default(rules.statuses), statuses_or_all),
            instead: table.get_or("mode", instead, |node| word(node, &MODES)),
            zero_at_once: table.get("zero", |node| word(node, &ZEROS)),
            spread: table.get_or("spread", rules.spread, |node| factor(node, 0..=FACTOR_MAX)),
            obsolete_dates: table.get_or("obsolete_dates", rules.dates.obsolete, boolean).value,
            strict_dates: table.get_or("strict_dates", rules.dates.strict, boolean).value,
            unreadable: table.get_or("unreadable", rules.unreadable, |node| word(node, &UNREADABLE)).value,
            server_date: table.get_or("clock", rules.skew_from_date, |node| word(node, &CLOCKS)),
            resets_backoff: table.get_or("resets_backoff", rules.resets_backoff, boolean).value,
        }
    }

    pub(crate) fn rules(&self) -> HintRules {
        let zero_at_once = self.zero_at_once.as_ref().is_some_and(|zero| zero.value);
        HintRules {
            fields: table_of(&self.fields.value).unwrap_or(HintFields::EMPTY),
            statuses: self.statuses.value.set,
            mode: if self.instead.value { HintMode::Instead { zero_at_once } } else { HintMode::AtLeast },
            spread: self.spread.value,
            dates: DateRules { obsolete: self.obsolete_dates, strict: self.strict_dates },
            unreadable: self.unreadable,
            skew_from_date: self.server_date.value,
            resets_backoff: self.resets_backoff,
        }
    }
}

/// The core's table of fields; `None` if they do not fit.
fn table_of(fields: &[At<Field>]) -> Option<HintFields> {
    fields.iter().try_fold(HintFields::EMPTY, |table, field| table.with(field.value.as_core()))
}

fn fields(node: &Node) -> Read<Vec<At<Field>>> {
    let fields = list(node, Field::read)?;
    for (at, field) in fields.iter().enumerate() {
        if let Some(first) = fields[..at].iter().find(|earlier| earlier.value.name == field.value.name) {
            return Err(stands_twice(field, first).into());
        }
        if table_of(&fields[..=at]).is_none() {
            let place = field.place.clone().unwrap_or_default();
            let most = policy_core::HINT_FIELDS_MAX;
            let message = format!("expected at most {most} fields and 160 letters in all their names");
            return Err(Problem::error(place, message).label("this one is too many").into());
        }
    }
    Ok(fields)
}

fn statuses_or_all(node: &Node) -> Read<Statuses> {
    match &node.value {
        Value::Text(text) if text == ALL => Ok(Statuses::default(StatusSet::ALL)),
        Value::List(_) => statuses(node),
        _ => Err(expected("\"all\", or a list of statuses", node)),
    }
}
