//! The retry budget that requests share.

use policy_core::{BudgetRules, BudgetScope, Rules, Tokens};

use crate::{
    table::{At, Read, Table},
    tree::{Node, Value},
    value::{NONE, boolean, expected, thousandths, word},
};

/// Who shares the tokens, by its word.
pub(crate) const SCOPES: [(&str, BudgetScope); 3] =
    [("policy", BudgetScope::Policy), ("host", BudgetScope::Host), ("key", BudgetScope::Key)];

/// The most tokens, in thousandths.
pub(crate) const TOKENS_MAX: u32 = 1_000_000_000;

pub(crate) struct Budget {
    pub(crate) capacity: At<Tokens>,
    pub(crate) on_failure: At<Tokens>,
    pub(crate) retry: At<Tokens>,
    pub(crate) throttled: At<Tokens>,
    pub(crate) timed_out: At<Tokens>,
    pub(crate) success: At<Tokens>,
    pub(crate) threshold: At<Tokens>,
    pub(crate) refund: bool,
    pub(crate) per: BudgetScope,
}

impl Budget {
    /// The budget of a document's root: a table, or the word that takes it away.
    pub(crate) fn read(root: &mut Table<'_>) -> Option<Self> {
        match root.node("budget") {
            Some(Node { value: Value::Text(text), .. }) if text == NONE => None,
            Some(node) if !matches!(node.value, Value::Table(_)) => {
                root.get("budget", |node| Err::<(), _>(expected("a table, or \"none\"", node)));
                None
            }
            _ => Some(root.section("budget", Self::read_table)),
        }
    }

    fn read_table(table: &mut Table<'_>) -> Self {
        let rules = Rules::DEFAULT.budget.unwrap_or_else(BudgetRules::aws_standard);
        Self {
            capacity: table.get_or("capacity", rules.capacity, tokens),
            on_failure: table.get_or("on_failure", rules.on_failure, tokens),
            retry: table.get_or("retry", rules.retry, tokens),
            throttled: table.get_or("throttled", rules.throttled, tokens),
            timed_out: table.get_or("timed_out", rules.timed_out, tokens),
            success: table.get_or("success", rules.success, tokens),
            threshold: table.get_or("threshold", rules.threshold, tokens),
            refund: table.get_or("refund", rules.refund, boolean).value,
            per: table.get_or("per", BudgetScope::Policy, |node| word(node, &SCOPES)).value,
        }
    }

    pub(crate) fn rules(&self) -> BudgetRules {
        BudgetRules {
            capacity: self.capacity.value,
            on_failure: self.on_failure.value,
            retry: self.retry.value,
            throttled: self.throttled.value,
            timed_out: self.timed_out.value,
            success: self.success.value,
            threshold: self.threshold.value,
            refund: self.refund,
        }
    }
}

fn tokens(node: &Node) -> Read<Tokens> {
    thousandths(node, 0..=TOKENS_MAX).map(Tokens::from_thousandths)
}
