//! What a client or an adapter lets its requests share.

use crate::{
    directory::{BudgetKey, Budgets, Holds, Origin},
    options::Options,
    time::{Rounding, Time},
};

/// What requests share, where the settings say so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing {
    pub(crate) budgets: Option<Budgets>,
    pub(crate) holds: Option<Holds>,
}

impl Sharing {
    /// Fills in what the caller has not given. The origin is asked for only if something is shared by it.
    pub(crate) fn fill<T: Time>(
        &self,
        options: &mut Options,
        key: Option<&BudgetKey>,
        time: &T,
        origin: impl FnOnce() -> Origin,
    ) {
        let budgets = self.budgets.as_ref().filter(|_| options.budget.is_none());
        let holds = self.holds.as_ref().filter(|_| options.hold.is_none());
        if budgets.is_none() && holds.is_none() {
            return;
        }
        let origin = origin();
        options.budget = budgets.map(|budgets| budgets.of(&origin, key)).or(options.budget.take());
        options.hold = holds.map(|holds| holds.of(&origin, time.mark(Rounding::Down))).or(options.hold.take());
    }
}
