//! A policy: rules that hold together.
//!
//! [`Rules`] is what a person writes; [`Policy`] is rules that were checked, with the fingerprint that ties an execution
//! to them. Only a `Policy` decides.

use crate::{
    compiled::{self, BODY_LEN},
    rules::{PolicyError, Rules},
    status::StatusSet,
};

/// Checked rules.
///
/// ```
/// use policy_core::{Policy, PolicyError, Rules};
/// let policy = Policy::new(Rules { max_attempts: 2, ..Rules::DEFAULT }).unwrap();
/// assert_eq!(policy.rules().max_attempts, 2);
/// assert_eq!(Policy::new(Rules { max_attempts: 0, ..Rules::DEFAULT }), Err(PolicyError::NoAttempt));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    rules: Rules,
    fingerprint: u32,
    fields: &'static [&'static str],
}

impl Policy {
    /// Checks `rules`.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn new(rules: Rules) -> Result<Self, PolicyError> {
        Self::of(rules, &compiled::encode(&rules))
    }

    /// Reads the compiled form that [`Policy::to_bytes`] writes.
    ///
    /// # Errors
    /// [`PolicyError::Malformed`] for bytes that `to_bytes` cannot have written, else the first contradiction found.
    #[inline(never)]
    pub fn from_bytes(bytes: &[u8; BODY_LEN]) -> Result<Self, PolicyError> {
        Self::of(compiled::decode(bytes).ok_or(PolicyError::Malformed)?, bytes)
    }

    fn of(rules: Rules, bytes: &[u8; BODY_LEN]) -> Result<Self, PolicyError> {
        rules.check()?;
        let fields: &[_] = match () {
            () if rules.hint.statuses == StatusSet::EMPTY => &[],
            () if rules.hint.skew_from_date => &["retry-after", "date", "age"],
            () => &["retry-after"],
        };
        Ok(Self { rules, fingerprint: compiled::fnv1a(bytes), fields })
    }

    /// The compiled form: the same rules give the same bytes, on every machine.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; BODY_LEN] {
        compiled::encode(&self.rules)
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// A digest of the compiled form. An execution of another policy is refused.
    #[must_use]
    pub const fn fingerprint(&self) -> u32 {
        self.fingerprint
    }

    /// The response fields that the policy asks for, in lower case; [`Field::index`](crate::Field::index) counts here.
    ///
    /// ```
    /// use policy_core::{HintRules, Policy, Rules, StatusSet};
    /// let deaf = HintRules { statuses: StatusSet::EMPTY, ..HintRules::DEFAULT };
    /// let policy = |hint| Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
    /// assert_eq!(policy(HintRules::DEFAULT).fields(), ["retry-after"]);
    /// assert!(policy(deaf).fields().is_empty());
    /// ```
    #[must_use]
    pub const fn fields(&self) -> &'static [&'static str] {
        self.fields
    }
}
