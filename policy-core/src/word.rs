//! Eight bytes of text compared and converted as one word: no branch for each byte, no table.

/// What eight bytes look like: in a form, `0` stands for a digit, `_` for anything, all else for itself.
pub(crate) struct Word {
    form: u64,
    /// The bits in which a text does not differ from the form.
    fixed: u64,
    /// The bits that hold the value of a digit.
    digits: u64,
}

impl Word {
    pub(crate) const fn new(form: &[u8; 8]) -> Self {
        let (mut fixed, mut digits) = (0, 0);
        let mut rest = form.as_slice();
        while let [before @ .., last] = rest {
            let (fixed_bits, digit_bits) = match last {
                b'0' => (0xf0, 0x0f),
                b'_' => (0x00, 0x00),
                _ => (0xff, 0x00),
            };
            (fixed, digits) = (fixed << 8 | fixed_bits, digits << 8 | digit_bits);
            rest = before;
        }
        Self { form: u64::from_le_bytes(*form), fixed, digits }
    }

    /// The bits in which a text is not of the form: none if it is.
    pub(crate) const fn unlike(&self, text: u64) -> u64 {
        let word = text ^ self.form;
        // Six more than a value above nine reaches the fixed bits.
        let raised = word.wrapping_add(self.digits & 0x0606_0606_0606_0606);
        (word | raised) & self.fixed
    }

    /// Of a text of the form: at each digit's place its value, and zero elsewhere.
    pub(crate) const fn values(&self, text: u64) -> u64 {
        text & self.digits
    }
}

/// At each value's place, the number that it makes with the value after it.
pub(crate) const fn pairs(values: u64) -> [u8; 8] {
    values.wrapping_mul(10).wrapping_add(values >> 8).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_takes_the_bytes_that_its_form_says_and_no_other() {
        let (form, text) = (b"00:_00 0", *b"12:x34 5");
        for (at, byte) in (0..8).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
            let mut changed = text;
            changed[at] = byte;
            let expected = match form[at] {
                b'0' => byte.is_ascii_digit(),
                b'_' => true,
                literal => byte == literal,
            };
            assert_eq!(Word::new(form).unlike(u64::from_le_bytes(changed)) == 0, expected, "{byte} at {at}");
        }
    }

    #[test]
    fn every_pair_of_digits_is_its_number() {
        for number in 0..100 {
            let (tens, ones) = (b'0' + number / 10, b'0' + number % 10);
            let text = [tens, ones, b':', tens, ones, tens, ones, b' '];
            let values = Word::new(b"00:0000 ").values(u64::from_le_bytes(text));
            let [a, _, _, b, _, c, ..] = pairs(values);
            assert_eq!([a, b, c], [number; 3]);
        }
    }
}
