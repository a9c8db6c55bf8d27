//! What may be sent again.

use policy_core::{KeyForm, Method, MethodSet, Rules};

use crate::{
    draft::hints::{KNOWN, SECRET, field_name},
    table::{At, Read, Table},
    tree::{Node, Value},
    value::{NONE, expected, word, words},
};

/// How a key is written on the wire, by its word.
pub(crate) const KEY_FORMS: [(&str, KeyForm); 2] = [("bare", KeyForm::Bare), ("quoted", KeyForm::Quoted)];

/// The field that carries the key, unless a document says otherwise.
pub(crate) const KEY_FIELD: &str = "idempotency-key";

/// Fields that steer the connection or say what the body is: no key is written into them.
const STEERING: [&str; 13] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Fields that only responses have, beside those that say when to come back.
const OF_RESPONSES: [&str; 10] = [
    "accept-ranges",
    "age",
    "allow",
    "content-range",
    "date",
    "etag",
    "location",
    "server",
    "vary",
    "x-ratelimit-reset",
];

pub(crate) struct Replay {
    pub(crate) methods: Methods,
    pub(crate) keyed_methods: Methods,
    pub(crate) key_field: At<Option<String>>,
    pub(crate) key_form: At<KeyForm>,
}

/// Methods, and where each was written; nowhere, if they are defaults.
#[derive(Clone)]
pub(crate) struct Methods(pub(crate) Vec<At<Method>>);

impl Replay {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let plain = table.get("methods", methods).map(|list| Methods(list.value));
        let keyed = table.get("keyed_methods", methods).map(|list| Methods(list.value));
        let key_field = table.get_or("key_field", Some(KEY_FIELD.to_owned()), key_field);
        // A default gives way to what is written.
        let default_plain = Methods::default(Rules::DEFAULT.methods).without(keyed.as_ref());
        let default_keyed = match key_field.value {
            Some(_) => Methods::default(Rules::DEFAULT.keyed_methods).without(plain.as_ref()),
            None => Methods(Vec::new()),
        };
        Self {
            methods: plain.unwrap_or(default_plain),
            keyed_methods: keyed.unwrap_or(default_keyed),
            key_field,
            key_form: table.get_or("key_form", KeyForm::Bare, |node| word(node, &KEY_FORMS)),
        }
    }
}

impl Methods {
    fn default(set: MethodSet) -> Self {
        let all = Method::ALL.into_iter().filter(|method| set.contains(*method));
        Self(all.map(At::default).collect())
    }

    fn without(self, others: Option<&Self>) -> Self {
        let others = others.map_or(MethodSet::EMPTY, Self::set);
        Self(self.0.into_iter().filter(|method| !others.contains(method.value)).collect())
    }

    pub(crate) fn set(&self) -> MethodSet {
        let methods: Vec<_> = self.0.iter().map(|method| method.value).collect();
        MethodSet::of(&methods)
    }
}

/// The methods that a document can name, by their names.
pub(crate) fn named() -> Vec<(&'static str, Method)> {
    let named = Method::ALL.into_iter().map(|method| (method.name(), method));
    named.filter(|(name, _)| !name.is_empty()).collect()
}

fn methods(node: &Node) -> Read<Vec<At<Method>>> {
    words(node, &named())
}

fn key_field(node: &Node) -> Read<Option<String>> {
    match &node.value {
        Value::Text(text) if text.eq_ignore_ascii_case(NONE) => Ok(None),
        _ => {
            let name = field_name(node)?;
            let taken = [SECRET.as_slice(), &STEERING, &OF_RESPONSES].concat().contains(&&*name);
            let taken = taken || KNOWN.into_iter().any(|(known, ..)| known == name);
            let refused = || expected("a request field that is free for a key, such as \"Idempotency-Key\"", node);
            if taken { Err(refused()) } else { Ok(Some(name)) }
        }
    }
}
