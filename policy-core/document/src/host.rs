//! What a document says to hosts alone: nothing of it is a retry rule, so it is not part of the compiled policy.

/// What only hosts need to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostSettings {
    /// The request field that carries the idempotency key; `None` if keys are not sent.
    pub key: Option<KeyField>,
    /// Who shares the tokens of the retry budget.
    pub budget: BudgetScope,
    /// A host that has no session handle refuses to start.
    pub session_required: bool,
}

/// The request field that carries the idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyField {
    /// Its name, in lower case.
    pub name: String,
    /// How the key is written there.
    pub form: KeyForm,
}

/// How an idempotency key is written on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyForm {
    /// As it is.
    #[default]
    Bare,
    /// As a string of a structured field, in double quotes (draft-ietf-httpapi-idempotency-key-header).
    Quoted,
}

/// Who shares the tokens of a retry budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BudgetScope {
    /// Every request under this policy.
    #[default]
    Policy,
    /// All requests to one host and port.
    Host,
    /// All requests for which the caller names the same key.
    Key,
}
