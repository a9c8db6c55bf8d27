//! What JavaScript gets beside results: the members of the package's `engine.ts`.

use js_sys::{BigInt, Object, Reflect};
use refrain_document::{BudgetScope, KeyForm};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"import type { HostSettings, Problem, RetryAfter } from "../engine.js";
"#;

#[wasm_bindgen]
extern "C" {
    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "RetryAfter")]
    pub type RetryAfter;

    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "HostSettings")]
    pub type HostSettings;
}

pub(crate) fn delay_seconds(seconds: u64) -> RetryAfter {
    object([("delaySeconds", BigInt::from(seconds).into())]).unchecked_into()
}

pub(crate) fn at(second: i64) -> RetryAfter {
    object([("at", BigInt::from(second).into())]).unchecked_into()
}

pub(crate) fn refused(code: u16) -> RetryAfter {
    object([("refused", code.into())]).unchecked_into()
}

pub(crate) fn host(settings: &refrain_document::HostSettings) -> HostSettings {
    let key = settings
        .key
        .as_ref()
        .map(|key| object([("name", key.name.as_str().into()), ("quoted", (key.form == KeyForm::Quoted).into())]));
    let budget = match settings.budget {
        BudgetScope::Policy => "policy",
        BudgetScope::Host => "host",
        BudgetScope::Key => "key",
    };
    let settings = object([
        ("key", key.unwrap_or(JsValue::NULL)),
        ("budget", budget.into()),
        ("sessionRequired", settings.session_required.into()),
    ]);
    settings.unchecked_into()
}

/// An object with these members.
pub(crate) fn object<const N: usize>(members: [(&str, JsValue); N]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // A plain object takes every member.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}
