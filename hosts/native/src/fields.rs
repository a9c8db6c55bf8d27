//! What crosses into the policy from a response's fields: the named ones, joined and cut, nothing else.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName};
use policy_core::{FIELD_MAX, FIELDS_MAX, Field};

/// The fields that a policy asks for, each with its place in the policy's order.
#[derive(Debug)]
pub(crate) struct FieldNames(Vec<(u8, HeaderName)>);

impl FieldNames {
    /// What is no name of a field occurs in no response, so it is not looked for.
    pub(crate) fn new(names: &[String]) -> Self {
        let named = (0_u8..).zip(names).take(FIELDS_MAX);
        Self(named.filter_map(|(index, name)| Some((index, name.parse().ok()?))).collect())
    }
}

/// The values of the fields that a policy asked for.
pub(crate) struct FieldValues<'a>(Vec<(u8, Cow<'a, [u8]>)>);

impl<'a> FieldValues<'a> {
    /// Of these fields, in their order. Nothing is allocated when none is present.
    pub(crate) fn of(headers: &'a HeaderMap, FieldNames(names): &FieldNames) -> Self {
        Self(names.iter().filter_map(|(index, name)| Some((*index, joined(headers, name)?))).collect())
    }

    pub(crate) fn as_fields(&self) -> Vec<Field<'_>> {
        self.0.iter().map(|(index, value)| Field { index: *index, value }).collect()
    }
}

/// All lines of a name, joined with a comma and a space as `fetch` does, and cut where the policy stops reading.
fn joined<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Cow<'a, [u8]>> {
    let mut lines = headers.get_all(name).iter().map(http::HeaderValue::as_bytes);
    let first = cut(lines.next()?);
    let mut value = Cow::Borrowed(first);
    for line in lines {
        if value.len() >= FIELD_MAX {
            break;
        }
        let value = value.to_mut();
        value.extend_from_slice(b", ");
        value.extend_from_slice(cut(line));
        value.truncate(FIELD_MAX);
    }
    Some(value)
}

fn cut(line: &[u8]) -> &[u8] {
    line.get(..FIELD_MAX).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn value_of(lines: &[&[u8]]) -> Option<Vec<u8>> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("retry-after", HeaderValue::from_bytes(line).expect("a legal value"));
        }
        let names = FieldNames::new(&["no name".to_owned(), "retry-after".to_owned()]);
        let values = FieldValues::of(&headers, &names);
        let fields = values.as_fields();
        assert!(fields.iter().all(|field| field.index == 1));
        fields.first().map(|field| field.value.to_vec())
    }

    #[test]
    fn all_lines_of_a_name_are_joined_in_order() {
        assert_eq!(value_of(&[]), None);
        assert_eq!(value_of(&[b"120"]), Some(b"120".to_vec()));
        assert_eq!(value_of(&[b"120", b"\xa0", b""]), Some(b"120, \xa0, ".to_vec()));
    }

    #[test]
    fn a_long_value_is_cut_at_the_limit_also_across_lines() {
        let (whole, longer) = (vec![b'1'; FIELD_MAX], vec![b'1'; 40_000]);
        assert_eq!(value_of(&[&longer]), Some(whole.clone()));
        assert_eq!(value_of(&[&whole[1..], b"2"]).map(|value| value.len()), Some(FIELD_MAX));
        assert_eq!(value_of(&[&whole, b"2"]), Some(whole));
    }
}
