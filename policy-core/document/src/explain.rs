//! What a policy means for who calls under it: in sentences, and as a table of the longest waits.
//!
//! ```
//! use refrain_document::{explain, ready};
//! let document = ready::find("read-only-strict").unwrap().document();
//! assert_eq!(explain::sentences(&document)[0], "A request is sent at most 4 times, the first included.");
//! println!("{}", explain::table(&document));
//! ```

mod explanation;
mod hints;
mod phrases;
mod text;
mod worst;

use policy_core::{BudgetScope, DeadlineScope, KeyForm, Offline, Rules, Tokens};

use self::phrases::{backoff, failures, joined, methods, statuses, tokens};
pub use self::{
    explanation::Explanation,
    worst::{Retry, Waits, WorstCase, table},
};
use crate::{document::Document, duration::text as span, host::HostSettings};

/// What a caller experiences, one thought a sentence: what is retried, when, what the server has to say, what ends it, what
/// is repeated at all, the budget, and what happens without a network.
///
/// ```
/// use refrain_document::{Document, Format, explain};
/// let text = "schema = 1\nname = \"once\"\nversion = \"1.0.0\"\nlimits.max_attempts = 1";
/// let document = Document::parse(text, Format::Toml).unwrap();
/// assert_eq!(explain::sentences(&document)[0], "A request is sent once: nothing is retried.");
/// ```
#[must_use]
pub fn sentences(document: &Document) -> Vec<String> {
    let (rules, host) = (document.policy().rules(), document.host());
    let mut sentences = vec![attempts(&rules)];
    sentences.extend(retried(&rules));
    sentences.extend(waits(&rules));
    sentences.extend(hints::sentences(&rules));
    sentences.extend(limits(&rules));
    sentences.extend(repeats(&rules, host));
    sentences.extend(budget(&rules, host));
    sentences.push(offline(&rules));
    if host.session_required {
        sentences.push("A host that does not know who is signed in refuses to start.".to_owned());
    }
    sentences
}

fn attempts(rules: &Rules) -> String {
    match rules.max_attempts {
        1 => "A request is sent once: nothing is retried.".to_owned(),
        count => format!("A request is sent at most {count} times, the first included."),
    }
}

fn retried(rules: &Rules) -> Vec<String> {
    let failures = failures(rules.failures);
    let after_status = (!rules.retry.is_empty())
        .then(|| format!("It is sent again after a response with status {}.", statuses(rules.retry)));
    let after_failure = (!failures.is_empty()).then(|| format!("It is sent again after {}.", joined(&failures, "or")));
    let nothing = "No status and no failure is retried.".to_owned();
    match (after_status, after_failure) {
        (None, None) => vec![nothing],
        causes => [causes.0, causes.1].into_iter().flatten().collect(),
    }
}

fn waits(rules: &Rules) -> Vec<String> {
    let mut sentences =
        vec![format!("If the server names no time, the first retry waits {}.", backoff(&rules.transient))];
    if !rules.throttle.is_empty() && rules.throttled != rules.transient {
        let codes = statuses(rules.throttle);
        sentences.push(format!("After status {codes}, which asks for less, it waits {}.", backoff(&rules.throttled)));
    }
    sentences
}

fn limits(rules: &Rules) -> Vec<String> {
    let deferred = rules.max_wait.map(|wait| {
        let wait = span(wait);
        format!("What asks for more than {wait} is not waited for: the request is deferred, with the whole wait.")
    });
    let deadline = rules.deadline.map(|deadline| {
        let attempts = match rules.deadline_scope {
            DeadlineScope::Waits => "an attempt that runs may outlast it",
            DeadlineScope::Attempts => "an attempt that runs is cut short by it",
        };
        format!("No wait is begun that would reach {} from the start; {attempts}.", span(deadline))
    });
    let timeout = rules
        .attempt_timeout
        .map(|timeout| format!("An attempt is given up after {} without the head of a response.", span(timeout)));
    let endless = rules.max_wait.is_none() && rules.deadline.is_none();
    let endless = endless.then(|| "Nothing limits how long it waits.".to_owned());
    [deferred, deadline, timeout, endless].into_iter().flatten().collect()
}

fn repeats(rules: &Rules, host: &HostSettings) -> Vec<String> {
    let (plain, keyed) = (methods(rules.methods), methods(rules.keyed_methods));
    let as_it_is = if plain.len() == 1 { "as it is" } else { "as they are" };
    let plain = (!plain.is_empty()).then(|| format!("{} may be repeated {as_it_is}", joined(&plain, "and")));
    let keyed = host.key.as_ref().filter(|_| !keyed.is_empty()).map(|key| {
        let (keyed, name) = (joined(&keyed, "and"), &key.name);
        let form = if key.form == KeyForm::Quoted { ", in quotes" } else { "" };
        format!("{keyed} only with an idempotency key that the server honours, in the field `{name}`{form}")
    });
    let both: Vec<_> = plain.into_iter().chain(keyed).collect();
    let first = match both.as_slice() {
        [] => "No method is repeated once it may have been processed.".to_owned(),
        both => format!("{}.", both.join("; ")),
    };
    let rest =
        "Any other is repeated only if it certainly was not processed, and none whose body cannot be sent again.";
    vec![first, rest.to_owned()]
}

fn budget(rules: &Rules, host: &HostSettings) -> Vec<String> {
    let Some(budget) = rules.budget else { return vec!["Retries share no budget: each is free.".to_owned()] };
    let scope = match host.budget {
        BudgetScope::Policy => "all requests under this policy share",
        BudgetScope::Host => "all requests to one host share",
        BudgetScope::Key => "all requests share for which the caller names the same key",
    };
    let mut moves = vec![format!("a retry takes {}", tokens(budget.retry))];
    moves.extend((budget.throttled != budget.retry).then(|| format!("after throttling {}", tokens(budget.throttled))));
    moves.extend((budget.timed_out != budget.retry).then(|| format!("after a time-out {}", tokens(budget.timed_out))));
    let failure = (budget.on_failure > Tokens::ZERO).then(|| format!("every failure {}", tokens(budget.on_failure)));
    moves.extend(failure);
    let gift = if budget.refund { "gives back what its last retry took, or" } else { "gives" };
    let least =
        (budget.threshold > Tokens::ZERO).then(|| format!(", and none at {} or less", tokens(budget.threshold)));
    vec![
        format!("Of the {} tokens that {scope}, {}.", tokens(budget.capacity), moves.join(", ")),
        format!("A success {gift} {}.", tokens(budget.success)),
        format!("No retry is made that they do not pay for{}.", least.unwrap_or_default()),
    ]
}

fn offline(rules: &Rules) -> String {
    match (rules.offline, rules.max_wait, rules.deadline) {
        (Offline::CountAsConnectFailed, ..) => "A missing network counts as a failed connection.".to_owned(),
        (Offline::Await, Some(wait), _) => {
            format!("Without a network it waits for one, at most {} in all.", span(wait))
        }
        (Offline::Await, None, Some(_)) => "Without a network it waits for one, up to the deadline.".to_owned(),
        (Offline::Await, None, None) => "Without a network it waits for one.".to_owned(),
    }
}
