//! At which key of a TOML text a place lies.

use std::{borrow::Cow, mem};

use toml_parser::{
    Source,
    parser::{Event, EventKind, parse_document},
};

/// The path of the key at a byte of a text, from the root; empty where a key of the root may stand. A text that is being
/// written need not be sound: what is broken before that byte is read as far as it goes.
pub(super) fn path(text: &str, offset: usize) -> Vec<String> {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut reader = Reader::default();
    let mut read = |event: Event| {
        if event.span().start() <= offset {
            reader.read(&source, event, offset);
        }
    };
    parse_document(&tokens, &mut read, &mut ());
    reader.path()
}

/// Where the reading has come to.
#[derive(Default)]
struct Reader {
    /// The table that the last header named.
    header: Vec<String>,
    /// The keys of the inline tables and lists that are open.
    open: Vec<Vec<String>>,
    /// The key that was read last, part by part.
    key: Vec<String>,
}

impl Reader {
    fn read(&mut self, source: &Source<'_>, event: Event, offset: usize) {
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => *self = Self::default(),
            // A header that ends before the place names the table that it lies in.
            EventKind::StdTableClose | EventKind::ArrayTableClose if event.span().end() <= offset => {
                self.header = mem::take(&mut self.key);
            }
            EventKind::SimpleKey => self.key.extend(decoded(source, event)),
            EventKind::InlineTableOpen | EventKind::ArrayOpen => self.open.push(mem::take(&mut self.key)),
            // What is never closed ends in nothing.
            EventKind::InlineTableClose | EventKind::ArrayClose if !event.span().is_empty() => {
                self.key = self.open.pop().unwrap_or_default()
            }
            EventKind::ValueSep => self.key.clear(),
            EventKind::Newline if self.open.is_empty() && event.span().end() <= offset => self.key.clear(),
            _ => {}
        }
    }

    fn path(self) -> Vec<String> {
        self.header.into_iter().chain(self.open.into_iter().flatten()).chain(self.key).collect()
    }
}

fn decoded(source: &Source<'_>, event: Event) -> Option<String> {
    let mut key = Cow::Borrowed("");
    source.get(event)?.decode_key(&mut key, &mut ());
    Some(key.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path at the `|` in a text.
    fn at(text: &str) -> String {
        let offset = text.find('|').expect("a place");
        path(&text.replace('|', ""), offset).join(".")
    }

    #[test]
    fn a_place_lies_at_the_key_of_its_line_and_in_the_table_of_its_header() {
        assert_eq!(at("schema = 1\nna|me = \"a\""), "name");
        assert_eq!(at("name = \"|a\""), "name");
        assert_eq!(at("[limits]\nmax_attempts = 3|\ndeadline = \"2m\""), "limits.max_attempts");
        assert_eq!(at("[backoff.transient] # mild\n|base = \"1s\""), "backoff.transient.base");
        assert_eq!(at("limits.max_attempts| = 3"), "limits.max_attempts");
        assert_eq!(at("lim|its.max_attempts = 3"), "limits");
        assert_eq!(at("\"limits\".'max_attempts' =| 3"), "limits.max_attempts");
    }

    #[test]
    fn a_line_without_a_key_lies_in_its_table() {
        assert_eq!(at("|"), "");
        assert_eq!(at("schema = 1\n|\nname = \"a\""), "");
        assert_eq!(at("[limits]\nmax_attempts = 3\n|"), "limits");
        assert_eq!(at("[lim|its]\nmax_attempts = 3"), "limits");
        assert_eq!(at("[limits]|"), "limits");
    }

    #[test]
    fn a_key_of_an_inline_table_lies_below_that_of_the_table() {
        assert_eq!(at("backoff = { base = \"1s\", ca|p = \"2s\" }"), "backoff.cap");
        assert_eq!(at("backoff = {| base = \"1s\" }"), "backoff");
        assert_eq!(at("backoff = { jitter = { low = |0.5, high = 1 } }"), "backoff.jitter.low");
        assert_eq!(at("backoff = { base = \"1s\" }|"), "backoff");
        assert_eq!(at("backoff = { base = \"1s\" }\noffline.mo|de = 'await'"), "offline.mode");
        assert_eq!(at("[hints]\nfields = [\n  \"retry-after\",\n  { na|me = \"a\" },\n]"), "hints.fields.name");
        assert_eq!(at("[hints]\nfields = [\"retry-|after\"]"), "hints.fields");
    }

    #[test]
    fn what_is_being_written_need_not_be_sound() {
        assert_eq!(at("[limits]\nmax_att|"), "limits.max_att");
        assert_eq!(at("[limits]\nmax_attempts = |"), "limits.max_attempts");
        assert_eq!(at("= 3\n[limits]\ndeadline = \"2|"), "limits.deadline");
        assert_eq!(at("[lim|"), "lim");
        assert_eq!(at("backoff = { base = |"), "backoff.base");
        assert_eq!(at("backoff = { ba|"), "backoff.ba");
    }
}
