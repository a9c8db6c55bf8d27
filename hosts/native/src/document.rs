//! What a policy document says to hosts, in this host's words.

use http::header::{HeaderName, InvalidHeaderName};

use crate::key::KeyField;

/// The field that a document says.
///
/// ```
/// use refrain::core::slot::Slot;
/// use refrain::{Budgets, Client, DirectEngine, Engine, KeyField};
/// use refrain_document::ready;
/// # fn client() -> Result<(), Box<dyn std::error::Error>> {
/// let document = ready::find("stripe").ok_or("expected the name of a ready-made policy")?.document();
/// let engine = DirectEngine::from_slot(&document.slot());
/// let host = document.host();
/// let budgets = Budgets::new(host.budget, engine.description());
/// let mut builder = Client::builder(engine).budgets(budgets);
/// if let Some(field) = &host.key {
///     builder = builder.key_field(KeyField::try_from(field)?);
/// }
/// # Ok(())
/// # }
/// ```
impl TryFrom<&refrain_document::KeyField> for KeyField {
    type Error = InvalidHeaderName;

    fn try_from(field: &refrain_document::KeyField) -> Result<Self, InvalidHeaderName> {
        Ok(Self { name: HeaderName::from_bytes(field.name.as_bytes())?, form: field.form })
    }
}

#[cfg(test)]
mod tests {
    use policy_core::{BudgetScope, KeyForm};
    use refrain_document::{Document, Format};

    use super::*;

    #[test]
    fn what_a_document_says_of_keys_and_budgets_arrives() {
        let said = |key, form, per| {
            let text = format!(
                "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n[replay]\nkey_field = \"{key}\"\nkey_form = \"{form}\"\n\
                 [budget]\nper = \"{per}\"\n"
            );
            let document = Document::parse(&text, Format::Toml).expect("a sound document");
            let host = document.host();
            let field = host.key.as_ref().map(|field| KeyField::try_from(field).expect("a checked name"));
            (field, host.budget)
        };
        let field = |name: &'static str, form| Some(KeyField { name: HeaderName::from_static(name), form });
        assert_eq!(
            said("Idempotency-Key", "bare", "policy"),
            (field("idempotency-key", KeyForm::Bare), BudgetScope::Policy)
        );
        assert_eq!(said("x-operation", "quoted", "host"), (field("x-operation", KeyForm::Quoted), BudgetScope::Host));
        assert_eq!(said("x-operation", "bare", "key"), (field("x-operation", KeyForm::Bare), BudgetScope::Key));
    }
}
