//! What a client or an adapter lets its requests share.

use http::{HeaderMap, Uri};
use policy_core::Mark;

use crate::{
    directory::{BudgetKey, Budgets, Holds, Origin},
    options::Options,
};

/// What requests share, where the settings say so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing {
    pub(crate) budgets: Option<Budgets>,
    pub(crate) holds: Option<Holds>,
}

impl Sharing {
    /// Fills in what the caller has not given.
    pub(crate) fn fill(
        &self,
        options: &mut Options,
        key: Option<&BudgetKey>,
        now: Mark,
        (uri, headers): (&Uri, &HeaderMap),
    ) {
        let budgets = self.budgets.as_ref().filter(|_| options.budget.is_none());
        let holds = self.holds.as_ref().filter(|_| options.hold.is_none());
        if budgets.is_none() && holds.is_none() {
            return;
        }
        let origin = Origin::of(uri, headers);
        options.budget = budgets.map(|budgets| budgets.of(&origin, key)).or(options.budget.take());
        options.hold = holds.map(|holds| holds.of(&origin, now)).or(options.hold.take());
    }
}
