//! Words in which a policy speaks to its hosts of what they do and the core does not: they share tokens out and write keys.

/// How an idempotency key is written on the wire.
///
/// ```
/// use policy_core::KeyForm;
/// assert_eq!(KeyForm::default(), KeyForm::Bare);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyForm {
    /// As it is.
    #[default]
    Bare,
    /// As a string of a structured field, in double quotes (draft-ietf-httpapi-idempotency-key-header).
    Quoted,
}

/// Who shares the tokens of a retry budget.
///
/// ```
/// use policy_core::BudgetScope;
/// assert_eq!(BudgetScope::default(), BudgetScope::Policy);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BudgetScope {
    /// Every request under this policy.
    #[default]
    Policy,
    /// All requests to one host and port.
    Host,
    /// All requests for which the caller names the same key; those without one share one too.
    Key,
}
