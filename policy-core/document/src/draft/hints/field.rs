//! One response field that says whether or when to come back.

use policy_core::{BadValue, HintField, Unit};

use crate::{
    problem::{Place, Problem},
    suggest::nearest,
    table::{Read, Table},
    tree::{Node, Value},
    value::{boolean, expected, expected_one, text, word},
};

/// A response field and how it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) decimals: bool,
    pub(crate) bad_value: BadValue,
}

/// Fields that need no unit, since all who send them mean the same; whether they write decimals, and what a bad value does.
pub(crate) const KNOWN: [(&str, Unit, bool, BadValue); 8] = [
    ("retry-after", Unit::Seconds, false, BadValue::Next),
    ("retry-after-ms", Unit::Milliseconds, false, BadValue::Next),
    ("x-ms-retry-after-ms", Unit::Milliseconds, false, BadValue::Next),
    ("x-amz-retry-after", Unit::Milliseconds, false, BadValue::Next),
    ("grpc-retry-pushback-ms", Unit::PushbackMilliseconds, false, BadValue::Stop),
    // Discord writes `64.57`.
    ("x-ratelimit-reset-after", Unit::Seconds, true, BadValue::Next),
    ("x-should-retry", Unit::Verdict, false, BadValue::Next),
    ("stripe-should-retry", Unit::Verdict, false, BadValue::Next),
];

/// A field of which senders mean different things.
const RESET: &str = "x-ratelimit-reset";

/// Longest name of a field.
const FIELD_NAME_MAX: usize = 64;

/// Fields that carry secrets, and never cross into a policy.
pub(crate) const SECRET: [&str; 12] = [
    "authentication-info",
    "authorization",
    "cookie",
    "proxy-authenticate",
    "proxy-authentication-info",
    "proxy-authorization",
    "set-cookie",
    "www-authenticate",
    "x-amz-security-token",
    "x-api-key",
    "x-auth-token",
    "x-csrf-token",
];

impl Field {
    /// A known name, or a table that says how the field is read.
    pub(crate) fn read(node: &Node) -> Read<Self> {
        match &node.value {
            Value::Text(_) => {
                let name = hint_name(node)?;
                Self::usual(&name).ok_or_else(|| no_unit(&name, node).into())
            }
            Value::Table(entries) => {
                let mut problems = Vec::new();
                let field = Table::read(entries, &mut problems, |table| Self::read_table(node, table));
                field.filter(|_| problems.is_empty()).ok_or(problems)
            }
            _ => Err(expected("the name of a field, or { name = \"…\", unit = \"…\" }", node)),
        }
    }

    /// As the field of this name is usually read.
    pub(crate) fn usual(name: &str) -> Option<Self> {
        let (_, unit, decimals, bad_value) = KNOWN.into_iter().find(|(known, ..)| *known == name)?;
        Some(Self { name: name.to_owned(), unit, decimals, bad_value })
    }

    /// `None` if something is missing; that is a problem of the table then.
    fn read_table(node: &Node, table: &mut Table<'_>) -> Option<Self> {
        let name = table.get("name", hint_name);
        let unit = table.get("unit", |node| word(node, &Unit::ALL.map(|unit| (unit.name(), unit))));
        let decimals = table.get("decimals", boolean);
        let bad_value = table.get("bad_value", |node| word(node, &BadValue::ALL.map(|bad| (bad.name(), bad))));
        if table.node("name").is_none() {
            table.complain(Problem::error(node.place.clone(), "expected a key `name` in this table, found none"));
        }
        let name = name?.value;
        let usual = Self::usual(&name);
        if unit.is_none() && table.node("unit").is_some() {
            return None;
        }
        let Some(meant) = unit.as_ref().map(|unit| unit.value).or(usual.as_ref().map(|usual| usual.unit)) else {
            table.complain(no_unit(&name, node));
            return None;
        };
        if name == HintField::RETRY_AFTER.name && meant != HintField::RETRY_AFTER.unit {
            table.complain(not_seconds(unit.and_then(|unit| unit.place).unwrap_or_default()));
        }
        let places =
            [decimals.as_ref().and_then(|at| at.place.clone()), bad_value.as_ref().and_then(|at| at.place.clone())];
        for place in places.into_iter().flatten().filter(|_| meant == Unit::Verdict) {
            table.complain(no_verdict(place));
        }
        Some(Self {
            name,
            unit: meant,
            decimals: decimals.map(|at| at.value).or(usual.as_ref().map(|usual| usual.decimals)).unwrap_or_default(),
            bad_value: bad_value.map(|at| at.value).or(usual.map(|usual| usual.bad_value)).unwrap_or_default(),
        })
    }

    pub(crate) fn as_core(&self) -> HintField<'_> {
        let Self { name, unit, decimals, bad_value } = self;
        HintField { name, unit: *unit, decimals: *decimals, bad_value: *bad_value }
    }
}

impl From<HintField<'_>> for Field {
    fn from(HintField { name, unit, decimals, bad_value }: HintField<'_>) -> Self {
        Self { name: name.to_owned(), unit, decimals, bad_value }
    }
}

fn not_seconds(place: Place) -> Problem {
    let message = "`retry-after` counts seconds (RFC 9110): another unit could send earlier than the server asked";
    Problem::error(place, message).help("leave the unit out")
}

fn no_verdict(place: Place) -> Problem {
    let message = "a verdict is `true` or `false`, and every other value is ignored";
    Problem::error(place, message).label("has no effect").help("leave it out")
}

fn no_unit(name: &str, node: &Node) -> Problem {
    let problem = Problem::error(node.place.clone(), format!("expected a unit for the field `{name}`"));
    if name == RESET {
        let both = "some servers mean a moment, { name = \"x-ratelimit-reset\", unit = \"epoch-seconds\" }, \
                    others a time from now, { name = \"x-ratelimit-reset\", unit = \"seconds\" }";
        return problem.help(both);
    }
    let known = KNOWN.into_iter().map(|(known, ..)| known).chain([RESET]);
    if let Some(meant) = nearest(name, known) {
        return problem.help(format!("did you mean `{meant}`?"));
    }
    let unit = if name.ends_with("-ms") { Unit::Milliseconds } else { Unit::Seconds }.name();
    problem.help(format!("write {{ name = \"{name}\", unit = \"{unit}\" }}, or what its server means"))
}

/// The name of a field that a policy may see.
fn hint_name(node: &Node) -> Read<String> {
    let name = field_name(node)?;
    let refused = |why: &str| Err(expected_one("a field that says when to come back", node).help(why).into());
    match &*name {
        secret if SECRET.contains(&secret) => refused("a field that carries a secret never crosses into a policy"),
        "date" | "age" => refused("dates are measured against the server's own with `clock = \"server-date\"`"),
        _ => Ok(name),
    }
}

/// The name of a field, in lower case: the case of a name means nothing (RFC 9110 §5.1).
pub(crate) fn field_name(node: &Node) -> Read<String> {
    let name = text(node)?.to_ascii_lowercase();
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
    if (1..=FIELD_NAME_MAX).contains(&name.len()) && name.bytes().all(is_letter) {
        return Ok(name);
    }
    Err(expected(&format!("the name of a field: 1 to {FIELD_NAME_MAX} letters, digits, `-`, `_` and `.`"), node))
}
