//! What is written onto each attempt: the key, always the same, and the headers that must be fresh.

use std::{fmt, sync::Arc};

use http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::{
    fresh::{FreshHeaders, Outgoing, Refusal},
    nesting::Nesting,
    transport::Attempt,
};

/// What is written onto each attempt of one logical request.
#[derive(Clone)]
pub(crate) struct Stamp {
    pub(crate) key_field: HeaderName,
    pub(crate) key: Option<HeaderValue>,
    pub(crate) fresh: Option<Arc<dyn FreshHeaders>>,
    /// The server is told of each attempt.
    pub(crate) announces: Option<Nesting>,
}

impl Stamp {
    /// Writes it.
    pub(crate) async fn put(
        &self,
        attempt: Attempt,
        method: &Method,
        url: &impl fmt::Display,
        headers: &mut HeaderMap,
    ) -> Result<(), Refusal> {
        if let Some(key) = &self.key {
            headers.insert(self.key_field.clone(), key.clone());
        }
        if let Some(told) = self.announces.as_ref().and_then(|nesting| nesting.announced(attempt)) {
            headers.insert(Nesting::FIELD, told);
        }
        let Some(fresh) = &self.fresh else { return Ok(()) };
        let url = &*url.to_string();
        let made = fresh.fresh(Outgoing { attempt, method, url, headers }).await.map_err(Refusal::NoHeaders)?;
        if made.contains_key(&self.key_field) {
            return Err(Refusal::KeyChanged);
        }
        replace(headers, made);
        Ok(())
    }
}

/// Sets all fields of `made`, with all their lines.
fn replace(headers: &mut HeaderMap, made: HeaderMap) {
    for name in made.keys() {
        headers.remove(name);
    }
    let mut last = None;
    for (name, value) in made {
        last = name.or(last);
        if let Some(name) = &last {
            headers.append(name.clone(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_fields_replace_those_of_their_name_with_all_lines() {
        let field =
            |name: &'static str, value: &'static str| (HeaderName::from_static(name), HeaderValue::from_static(value));
        let mut headers = HeaderMap::from_iter([field("a", "1"), field("b", "1"), field("b", "2")]);
        let mut made = HeaderMap::from_iter([field("b", "3"), field("c", "4")]);
        made.append("b", HeaderValue::from_static("5"));
        replace(&mut headers, made);
        let all = |name| headers.get_all(name).iter().map(HeaderValue::as_bytes).collect::<Vec<_>>();
        assert_eq!((all("a"), all("b"), all("c")), (vec![&b"1"[..]], vec![&b"3"[..], b"5"], vec![&b"4"[..]]));
    }
}
