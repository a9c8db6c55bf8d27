//! Numbers of JavaScript, which may be none that the interface means.

/// Reads the numbers of one call and notices one that is none: negative, a fraction, NaN, too large.
pub(crate) struct Numbers {
    sound: bool,
}

impl Numbers {
    pub(crate) const fn new() -> Self {
        Self { sound: true }
    }

    /// Whether all that were read are what they had to be.
    pub(crate) const fn are_sound(&self) -> bool {
        self.sound
    }

    /// A whole number below 2^64.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    pub(crate) fn u64(&mut self, value: f64) -> u64 {
        self.sound &= (0.0..TWO_TO_64).contains(&value) && value.fract() == 0.0;
        value as u64
    }

    /// A whole number below 2^32.
    pub(crate) fn u32(&mut self, value: f64) -> u32 {
        let whole = self.u64(value);
        self.narrow(whole)
    }

    /// A whole number below 2^16.
    pub(crate) fn u16(&mut self, value: f64) -> u16 {
        let whole = self.u64(value);
        self.narrow(whole)
    }

    fn narrow<T: TryFrom<u64> + Default>(&mut self, whole: u64) -> T {
        T::try_from(whole).unwrap_or_else(|_| {
            self.sound = false;
            T::default()
        })
    }
}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
