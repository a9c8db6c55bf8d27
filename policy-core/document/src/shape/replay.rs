//! What may be sent again.

use policy_core::{Method, MethodSet, Rules};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    defaults,
    scalar::{self, word, words},
};
use crate::{draft::replay::KEY_FORMS, host::HostSettings, value::NONE};

/// What may be sent again.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Replay {
    /// Methods that may be repeated as they are.
    #[schemars(extend("items" = scalar::methods()))]
    methods: Vec<&'static str>,
    /// Methods that may be repeated with an idempotency key that the server honours.
    #[schemars(extend("items" = scalar::methods()))]
    keyed_methods: Vec<&'static str>,
    /// The request field that carries the key; "none" if keys are not sent.
    #[schemars(regex(pattern = r"^[A-Za-z0-9._-]{1,64}$"))]
    key_field: String,
    /// How the key is written: "bare" as it is, "quoted" as a string of a structured field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = words(&KEY_FORMS)))]
    key_form: Option<&'static str>,
}

impl Replay {
    pub(super) fn of(rules: &Rules, host: &HostSettings) -> Self {
        let names =
            |set: MethodSet| Method::ALL.into_iter().filter(|method| set.contains(*method)).map(Method::name).collect();
        Self {
            methods: names(rules.methods),
            keyed_methods: names(rules.keyed_methods),
            key_field: host.key.as_ref().map_or(NONE, |key| &key.name).to_owned(),
            key_form: host.key.as_ref().map(|key| word(&KEY_FORMS, key.form)),
        }
    }
}

impl Default for Replay {
    fn default() -> Self {
        defaults().replay
    }
}
