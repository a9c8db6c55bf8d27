//! Parts of sentences.

use policy_core::{
    Backoff, FailureKind, FailureSet, Jitter, Method, MethodSet, Millis, Sample, StatusSet, Thousandths, Tokens,
};

use crate::{
    draft::{backoff::limited, retry::runs},
    duration::text as span,
    value::decimal_text,
};

/// `a`, `b` and `c`.
pub(super) fn joined(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [part] => part.clone(),
        [parts @ .., last] => format!("{} {word} {last}", parts.join(", ")),
    }
}

/// `429, 500 and 502 to 504`.
pub(super) fn statuses(set: StatusSet) -> String {
    let named = runs(set).into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    });
    joined(&named.collect::<Vec<_>>(), "and")
}

/// What each failure is, in words.
pub(super) fn failures(set: FailureSet) -> Vec<String> {
    let words = [
        (FailureKind::DnsFailed, "a name that was not found"),
        (FailureKind::ConnectFailed, "a connection that failed"),
        (FailureKind::TlsFailed, "a TLS handshake that broke"),
        (FailureKind::Unprocessed, "the server's word that it did nothing"),
        (FailureKind::Ambiguous, "an outcome that nobody knows (a lost connection, a time-out)"),
    ];
    words.into_iter().filter(|(kind, _)| set.contains(*kind)).map(|(_, words)| words.to_owned()).collect()
}

/// The methods of a set, by their names.
pub(super) fn methods(set: MethodSet) -> Vec<String> {
    let methods = Method::ALL.into_iter().filter(|method| set.contains(*method));
    methods.map(|method| method.name().to_owned()).collect()
}

/// Names of fields, in backticks.
pub(super) fn fields<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    joined(&names, "or")
}

/// The wait before the first retry, and how it grows.
pub(super) fn backoff(backoff: &Backoff) -> String {
    let [shortest, longest] = [Sample::ZERO, Sample::ONE].map(|sample| backoff.draw(0, sample).delay);
    let first = match (shortest, longest) {
        _ if shortest == longest => span(longest),
        (Millis::ZERO, _) => format!("a random time of up to {}", span(longest)),
        _ => format!("a random time from {} to {}", span(shortest), span(longest)),
    };
    let most = limited(late(backoff)).map(|most| format!(", up to {}", span(most))).unwrap_or_default();
    match (backoff.jitter, backoff.multiplier) {
        (Jitter::Decorrelated, _) => {
            let base = span(shortest);
            format!("{first}, and each further one a random time from {base} to three times the wait before{most}")
        }
        (_, Thousandths::ONE) => format!("{first}, and each further one the same"),
        (_, multiplier) => format!("{first}, and each further one {} times as long{most}", factor(multiplier)),
    }
}

/// The longest wait after many others.
fn late(backoff: &Backoff) -> Millis {
    let last = (0..1_000).fold(backoff.draw(0, Sample::ONE), |draw, _| backoff.draw(draw.series, Sample::ONE));
    last.delay
}

/// A share of something, in hundredths.
pub(super) fn percent(share: Thousandths) -> String {
    format!("{} %", decimal_text(share.get().saturating_mul(100)))
}

pub(super) fn factor(factor: Thousandths) -> String {
    decimal_text(factor.get())
}

pub(super) fn tokens(tokens: Tokens) -> String {
    decimal_text(tokens.thousandths())
}
