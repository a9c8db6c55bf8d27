//! What a document says to hosts alone: nothing of it is a retry rule, so it is not part of the compiled policy.

use policy_core::{BudgetScope, KeyForm};

/// What only hosts need to know.
///
/// ```
/// use refrain_document::{BudgetScope, Document, Format};
/// let text = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\nbudget.per = \"host\"";
/// let document = Document::parse(text, Format::Toml).unwrap();
/// assert_eq!(document.host().budget, BudgetScope::Host);
/// ```
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
///
/// ```
/// use refrain_document::{KeyForm, ready};
/// let stripe = ready::find("stripe").unwrap().document();
/// let field = stripe.host().key.as_ref().unwrap();
/// assert_eq!((field.name.as_str(), field.form), ("idempotency-key", KeyForm::Bare));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyField {
    /// Its name, in lower case.
    pub name: String,
    /// How the key is written there.
    pub form: KeyForm,
}
