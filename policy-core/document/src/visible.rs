//! Text from elsewhere, made fit to be shown.

use std::{borrow::Cow, fmt::Write};

/// Whether a character steers what shows it and is not seen itself: a control character, or one that sets the direction
/// of the text around it or ends a line (Unicode's `Bidi_Control`, U+2028 and U+2029).
///
/// ```
/// use refrain_document::visible::is_hidden;
/// assert!(is_hidden('\u{202e}') && is_hidden('\n') && !is_hidden('é'));
/// ```
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with `\u` and four hexadecimal digits, as TOML and JSON have it, for each hidden character but the end of a
/// line.
///
/// ```
/// use refrain_document::visible;
/// assert_eq!(visible::text("a \u{1b}[31mred\u{202e}\nword"), "a \\u001B[31mred\\u202E\nword");
/// ```
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    let is_escaped = |character| is_hidden(character) && character != '\n';
    if !text.contains(is_escaped) {
        return text.into();
    }
    let mut shown = String::new();
    for character in text.chars() {
        // Writing to a string does not fail.
        let _ = if is_escaped(character) {
            write!(shown, "\\u{:04X}", u32::from(character))
        } else {
            shown.write_char(character)
        };
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hidden_character_is_escaped_so_that_json_gives_it_back() {
        let hidden = (char::MIN..=char::MAX).filter(|character| is_hidden(*character)).collect::<Vec<_>>();
        assert_eq!(hidden.len(), 65 + 14);
        for character in hidden.into_iter().filter(|character| *character != '\n') {
            let written = character.to_string();
            let shown = text(&written);
            assert!(shown.is_ascii(), "{shown}");
            assert_eq!(serde_json::from_str::<String>(&format!("\"{shown}\"")).unwrap(), written);
        }
    }

    #[test]
    fn what_is_seen_stays_as_it_is() {
        let seen = "é ‘quoted’ 日本 𝄞\nאב\u{a0}";
        assert!(matches!(text(seen), Cow::Borrowed(shown) if shown == seen));
    }
}
