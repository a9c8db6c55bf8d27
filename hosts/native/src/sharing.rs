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
    /// With what the caller has not given, if there is any of it. The origin is asked for only if something is shared by it.
    pub(crate) fn fill<T: Time>(
        &self,
        options: &Options,
        key: Option<&BudgetKey>,
        time: &T,
        origin: impl FnOnce() -> Origin,
    ) -> Option<Options> {
        let budgets = self.budgets.as_ref().filter(|_| options.budget.is_none());
        let holds = self.holds.as_ref().filter(|_| options.hold.is_none());
        if budgets.is_none() && holds.is_none() {
            return None;
        }
        let (origin, mut options) = (origin(), options.clone());
        if let Some(budgets) = budgets {
            options.budget = Some(budgets.of(&origin, key));
        }
        if let Some(holds) = holds {
            options.hold = Some(holds.of(&origin, time.mark(Rounding::Down)));
        }
        Some(options)
    }
}
