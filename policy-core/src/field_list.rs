//! Which response fields say whether and when to come back, in which order.
//!
//! A policy lists the fields that its servers are known to send, the one it trusts most first; only these ever cross into
//! the core, as positions in the list. The first of them that is present decides.

use crate::field::{HintField, How};

/// Most fields in a [`HintFields`].
pub const HINT_FIELDS_MAX: usize = ROWS - CLOCK_ROWS;

/// Most fields that a policy asks for, with those that tell the server's clock.
#[doc(hidden)]
pub const ROWS: usize = 12;
/// `date` and `age`, which stand last in a compiled table that measures dates by them.
const CLOCK_ROWS: usize = 2;
const CLOCK: [(&str, u8); CLOCK_ROWS] = [("date", 6), ("age", 7)];
/// Room for all names. With the count, this fills 24 words of 64 bits.
const NAMES: usize = 167;

/// A list of [`HintField`]s, the most trusted first.
///
/// ```
/// use policy_core::{BadValue, HintField, HintFields, Unit};
/// let exact = HintField { name: "retry-after-ms", unit: Unit::Milliseconds, ..HintField::RETRY_AFTER };
/// let fields = HintFields::EMPTY.with(exact).unwrap().with(HintField::RETRY_AFTER).unwrap();
/// assert!(fields.iter().map(|field| field.name).eq(["retry-after-ms", "retry-after"]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct HintFields {
    rows: [Row; ROWS],
    names: [u8; NAMES],
    count: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Row {
    name_len: u8,
    how: How,
}

impl HintFields {
    /// No field: the server is not listened to.
    pub const EMPTY: Self = Self { rows: [Row { name_len: 0, how: How(0) }; ROWS], names: [0; NAMES], count: 0 };

    /// [`HintField::RETRY_AFTER`] alone.
    pub const RETRY_AFTER: Self = match Self::EMPTY.with(HintField::RETRY_AFTER) {
        Some(fields) => fields,
        None => Self::EMPTY,
    };

    /// Length of the compiled table.
    pub(crate) const LEN: usize = size_of::<Self>();

    /// The list with `field` added at its end; `None` if there are [`HINT_FIELDS_MAX`], or more than 160 bytes of names.
    #[must_use]
    pub const fn with(self, field: HintField<'_>) -> Option<Self> {
        // What is left is for `date` and `age`.
        let room = self.count < HINT_FIELDS_MAX as u8 && self.names_len().saturating_add(field.name.len()) <= NAMES - 7;
        if room { self.push(field.name, How::new(&field)) } else { None }
    }

    const fn push(mut self, name: &str, how: How) -> Option<Self> {
        let used = self.names_len();
        let Some((_, rows)) = self.rows.split_at_mut_checked(self.count as usize) else { return None };
        let Some(row) = rows.first_mut() else { return None };
        let Some((_, free)) = self.names.split_at_mut_checked(used) else { return None };
        let Some((place, _)) = free.split_at_mut_checked(name.len()) else { return None };
        place.copy_from_slice(name.as_bytes());
        *row = Row { name_len: name.len() as u8, how };
        self.count = self.count.wrapping_add(1);
        Some(self)
    }

    const fn names_len(&self) -> usize {
        let (mut used, mut rows) = (0_usize, self.rows.as_slice());
        while let Some((row, more)) = rows.split_first() {
            used = used.wrapping_add(row.name_len as usize);
            rows = more;
        }
        used
    }

    /// The fields in their order.
    pub fn iter(&self) -> impl Iterator<Item = HintField<'_>> {
        self.names().zip(&self.rows).filter_map(|(name, row)| row.how.field(name))
    }

    /// The fields in their order, and behind them those that only tell the server's clock.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let (mut names, lens) = self.name_table();
        lens.map(move |len| {
            let (name, rest) = names.split_at_checked(len.into()).unwrap_or_default();
            names = rest;
            core::str::from_utf8(name).unwrap_or("")
        })
    }

    /// As [`HintFields::names`]: their bytes, one name after the other, and the length of each. Unchecked.
    pub(crate) fn name_table(&self) -> (&[u8], impl Iterator<Item = u8>) {
        (&self.names, self.rows.iter().take(self.count.into()).map(|row| row.name_len))
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// With those that tell the server's clock behind them.
    pub(crate) fn with_clock(self) -> Self {
        CLOCK.into_iter().try_fold(self, |fields, (name, how)| fields.push(name, How(how))).unwrap_or(self)
    }

    /// Without those that tell the server's clock.
    pub(crate) fn without_clock(&self) -> Self {
        self.iter().try_fold(Self::EMPTY, |fields, field| fields.with(field)).unwrap_or(Self::EMPTY)
    }

    /// Whether each name could be a field's, in lower case, and none comes twice.
    pub(crate) fn are_names(&self) -> bool {
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_name_byte);
        let is_new = |(at, name): (usize, &str)| self.names().take(at).all(|earlier| earlier != name);
        self.names().all(is_name) && self.names().enumerate().all(is_new)
    }

    /// Position and reading of each.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, How)> {
        (0..self.count.into()).zip(&self.rows).map(|(index, row)| (index, row.how))
    }

    /// How the field at this position is read.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn how(&self, index: u8) -> Option<How> {
        if index < self.count { self.rows.get(usize::from(index)).map(|row| row.how) } else { None }
    }

    /// How many fields there are.
    #[inline]
    pub(crate) const fn count(&self) -> u8 {
        self.count
    }

    /// Position of `date` and `age` in a table that has them.
    pub(crate) const fn clock(&self) -> (u32, u32) {
        let count = self.count as u32;
        (count.wrapping_sub(2), count.wrapping_sub(1))
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        let rows = self.rows.into_iter().flat_map(|row| [row.name_len, row.how.0]);
        for (place, byte) in bytes.iter_mut().zip(rows.chain(self.names).chain([self.count])) {
            *place = byte;
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        let mut bytes = bytes.into_iter();
        let mut next = || bytes.next().unwrap_or(0);
        Self {
            rows: core::array::from_fn(|_| Row { name_len: next(), how: How(next()) }),
            names: core::array::from_fn(|_| next()),
            count: next(),
        }
    }
}

/// A subset of RFC 9110's `token` that holds every field in use.
const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{BadValue, Unit};

    const NAMED: [&str; 9] = [
        "retry-after",
        "retry-after-ms",
        "x-ms-retry-after-ms",
        "x-amz-retry-after",
        "grpc-retry-pushback-ms",
        "x-ratelimit-reset-after",
        "x-ratelimit-reset",
        "x-should-retry",
        "stripe-should-retry",
    ];

    fn named(names: &[&str]) -> Option<HintFields> {
        names
            .iter()
            .try_fold(HintFields::EMPTY, |fields, name| fields.with(HintField { name, ..HintField::RETRY_AFTER }))
    }

    #[test]
    fn all_fields_in_use_and_the_clock_fit_one_table() {
        let fields = named(&NAMED).unwrap();
        let table = fields.with_clock();
        assert!(table.names().eq(NAMED.into_iter().chain(["date", "age"])));
        assert_eq!(table.clock(), (9, 10));
        assert_eq!(table.without_clock(), fields);
        assert_eq!(HintFields::from_bytes(table.to_bytes()), table);
        assert!(table.are_names());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(named(&["a"; HINT_FIELDS_MAX]).is_some());
        assert!(named(&["a"; HINT_FIELDS_MAX + 1]).is_none());
        let long = core::str::from_utf8(&[b'x'; 160]).unwrap();
        assert!(named(&[long]).is_some_and(|fields| !fields.with_clock().is_empty()));
        assert_eq!(named(&[long]).map(|fields| fields.with_clock().count()), Some(3));
        assert!(named(&[long, "x"]).is_none());
    }

    #[test]
    fn names_are_lower_case_tokens_and_come_once() {
        for bad in [&["Retry-After"][..], &[""], &["a b"], &["a:"], &["é"], &["a", "b", "a"]] {
            assert!(!named(bad).unwrap().are_names(), "{bad:?}");
        }
    }

    #[test]
    fn a_row_keeps_what_was_chosen() {
        for unit in Unit::ALL {
            for (decimals, bad_value) in [(false, BadValue::Next), (true, BadValue::Backoff), (true, BadValue::Stop)] {
                let field = HintField { name: "a", unit, decimals, bad_value };
                assert!(HintFields::EMPTY.with(field).unwrap().iter().eq([field]));
            }
        }
    }
}
