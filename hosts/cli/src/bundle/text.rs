//! Bytes as a text that stands in a script.
//!
//! A page downloads a script and the texts in it compressed by one code, in which the characters of scripts are short and
//! most bytes of a core module would be long. So each frequent byte is one ASCII character, and the more frequent it is, the
//! more frequent is that character in scripts. Compressed, such a text is a fiftieth longer than the module; in base64 it
//! is a quarter longer.

/// The characters of the first numbers, from 0 on: small bytes are the frequent ones, and visible characters begin at 32.
/// Any other character is that of its code. The list was found by exchanging two of them at a time, as long as the page with
/// an inlined module shrank (`npm run size` in `hosts/browser`).
const LOW: &str = "q|e=,no}gp{-;r[f]?(4yj:#u!dEk.c0h$)ia";

/// How much higher the number of a character is than its byte.
const HIGHER: u8 = 2;

/// How much each space before a character adds. It is odd, so that some number of them leads to every byte.
const SPACE: u8 = 99;

/// What ends a string, or begins an escape, or markup in a page whose scripts stand in it.
const AVOIDED: &str = "\"\\<";

/// The text of `bytes`: visible ASCII and spaces.
pub(super) fn written(bytes: &[u8]) -> String {
    let words: Vec<String> = (0..=u8::MAX).map(word).collect();
    bytes.iter().map(|byte| words[usize::from(*byte)].as_str()).collect()
}

/// An expression that reads the text in the variable `text`.
pub(super) fn reader(text: &str) -> String {
    format!(
        "Uint8Array.from({text}.match(/ *./g), (word) => {{\n    \
           const character = word.trim();\n    \
           const low = \"{LOW}\".indexOf(character);\n    \
           return (low < 0 ? character.charCodeAt(0) : low) + {SPACE} * word.length - {};\n  \
         }})",
        u32::from(SPACE) + u32::from(HIGHER),
    )
}

fn word(byte: u8) -> String {
    let number = byte.wrapping_add(HIGHER);
    let mut words = (0..=u8::MAX).filter_map(|spaces| {
        let character = character(number.wrapping_sub(spaces.wrapping_mul(SPACE)))?;
        Some(format!("{}{character}", " ".repeat(spaces.into())))
    });
    words.next().expect("an odd step leads to every number")
}

fn character(number: u8) -> Option<char> {
    let own = char::from(number);
    let is_own = own.is_ascii_graphic() && !LOW.contains(own) && !AVOIDED.contains(own);
    LOW.chars().nth(number.into()).or(is_own.then_some(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text as the script does.
    fn read(text: &str) -> Vec<u8> {
        let mut spaces = 0_usize;
        let mut bytes = Vec::new();
        for character in text.chars() {
            if character == ' ' {
                spaces += 1;
                continue;
            }
            let number = LOW.find(character).unwrap_or(character as usize);
            bytes.push((number + spaces * usize::from(SPACE)).wrapping_sub(HIGHER.into()) as u8);
            spaces = 0;
        }
        bytes
    }

    #[test]
    fn every_byte_is_read_as_it_was_written() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        assert_eq!(read(&written(&bytes)), bytes);
        assert_eq!(written(&[]), "");
    }

    #[test]
    fn a_text_needs_no_escape_in_a_script_whatever_its_encoding_is() {
        let text = written(&(0..=255).collect::<Vec<_>>());
        let is_plain = |character: char| matches!(character, ' '..='~') && !AVOIDED.contains(character);
        assert!(text.chars().all(is_plain), "{text}");
        assert!(LOW.chars().all(|character| is_plain(character) && character != ' '), "{LOW}");
    }

    #[test]
    fn no_character_has_two_numbers() {
        let mut words: Vec<String> = (0..=u8::MAX).map(word).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 256);
        assert_eq!(LOW.chars().collect::<std::collections::HashSet<_>>().len(), LOW.len());
    }
}
