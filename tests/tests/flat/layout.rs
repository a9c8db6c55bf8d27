//! `wit/LAYOUT.md`, read as a host's author reads it.

use std::{collections::HashMap, sync::LazyLock};

/// Where everything stands.
pub(crate) struct Layout {
    /// By heading and path.
    rows: HashMap<(String, String), Row>,
    /// Size and alignment of the block of parameters, by heading.
    blocks: HashMap<String, (usize, usize)>,
    /// Size of the result, by heading.
    results: HashMap<String, usize>,
    /// The exported name, by heading.
    exports: HashMap<String, String>,
}

struct Row {
    offset: usize,
    size: usize,
    /// The names of the cases, by number.
    cases: Vec<String>,
}

impl Layout {
    pub(crate) fn read() -> &'static Self {
        static LAYOUT: LazyLock<Layout> = LazyLock::new(|| Layout::parse(include_str!("../../../wit/LAYOUT.md")));
        &LAYOUT
    }

    fn parse(page: &str) -> Self {
        let mut layout =
            Self { rows: HashMap::new(), blocks: HashMap::new(), results: HashMap::new(), exports: HashMap::new() };
        let mut heading = String::new();
        for line in page.lines() {
            if let Some(text) = line.strip_prefix("## ") {
                heading = text.to_owned();
            } else if let Some((name, _)) = line.strip_prefix('`').and_then(|line| line.split_once("`: (")) {
                layout.exports.insert(heading.clone(), name.to_owned());
            } else if let Some(text) = line.strip_prefix("The parameter points to ") {
                layout.blocks.insert(heading.clone(), extent(text));
            } else if let Some(text) = line.strip_prefix("The result points to ") {
                layout.results.insert(heading.clone(), extent(text).0);
            } else if let Some((name, text)) = line.strip_prefix('`').and_then(|line| line.split_once("`: ")) {
                heading = name.to_owned();
                layout.blocks.insert(heading.clone(), extent(text));
            } else if let [offset, size, _, path, kind] = cells(line)[..]
                && let (Ok(offset), Ok(size)) = (offset.parse(), size.parse())
            {
                layout.rows.insert((heading.clone(), path.to_owned()), Row { offset, size, cases: cases(kind) });
            }
        }
        layout
    }

    pub(crate) fn export(&self, heading: &str) -> &str {
        &self.exports[heading]
    }

    /// Size and alignment of the parameters of a function, or of an element.
    pub(crate) fn block(&self, heading: &str) -> (usize, usize) {
        self.blocks[heading]
    }

    /// How many bytes the result of a function has.
    pub(crate) fn result(&self, heading: &str) -> usize {
        self.results[heading]
    }

    fn row(&self, heading: &str, path: &str) -> &Row {
        let key = (heading.to_owned(), path.to_owned());
        self.rows.get(&key).unwrap_or_else(|| panic!("no row `{path}` under `{heading}`"))
    }
}

/// `136 bytes, aligned to 8:`
fn extent(text: &str) -> (usize, usize) {
    let (size, align) = text.trim_end_matches(':').split_once(" bytes, aligned to ").expect("an extent");
    (size.parse().expect("a size"), align.parse().expect("an alignment"))
}

fn cells(line: &str) -> Vec<&str> {
    let inner = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |"));
    inner.map(|inner| inner.split(" | ").collect()).unwrap_or_default()
}

/// `…: 0 none, 1 some`
fn cases(kind: &str) -> Vec<String> {
    let listed = kind.split_once(": ").map_or("", |(_, listed)| listed);
    let numbered = listed.split(", ").enumerate();
    let names = numbered.map_while(|(number, case)| case.strip_prefix(&format!("{number} ")).map(str::to_owned));
    names.collect()
}

/// Bytes that are written or read by the names of the table below a heading.
pub(crate) struct Block<'a> {
    layout: &'a Layout,
    heading: &'a str,
    pub(crate) bytes: Vec<u8>,
}

impl<'a> Block<'a> {
    /// Parameters or an element, with padding that a host may leave as it finds it.
    pub(crate) fn new(layout: &'a Layout, heading: &'a str) -> Self {
        Self { layout, heading, bytes: vec![0xa5; layout.block(heading).0] }
    }

    /// A result.
    pub(crate) fn of(layout: &'a Layout, heading: &'a str, bytes: &[u8]) -> Self {
        Self { layout, heading, bytes: bytes.to_vec() }
    }

    pub(crate) fn put(&mut self, path: &str, value: impl Into<u64>) {
        let Row { offset, size, .. } = *self.layout.row(self.heading, path);
        self.bytes[offset..offset + size].copy_from_slice(&value.into().to_le_bytes()[..size]);
    }

    pub(crate) fn put_case(&mut self, path: &str, case: &str) {
        let Row { offset, cases, .. } = self.layout.row(self.heading, path);
        let number = cases.iter().position(|name| name == case);
        let number = number.unwrap_or_else(|| panic!("no case `{case}` of `{path}` under `{}`", self.heading));
        self.bytes[*offset] = u8::try_from(number).expect("few cases");
    }

    pub(crate) fn put_bool(&mut self, path: &str, value: bool) {
        self.put_case(path, if value { "true" } else { "false" });
    }

    pub(crate) fn put_option(&mut self, path: &str, value: Option<u64>) {
        self.put_case(path, if value.is_some() { "some" } else { "none" });
        if let Some(value) = value {
            self.put(&format!("{path}.some"), value);
        }
    }

    /// A list or string: where it lies, and how much there is.
    pub(crate) fn put_list(&mut self, path: &str, pointer: u32, len: usize) {
        let Row { offset, .. } = *self.layout.row(self.heading, path);
        let len = u32::try_from(len).expect("a list of few");
        self.bytes[offset..offset + 8].copy_from_slice(&[pointer.to_le_bytes(), len.to_le_bytes()].concat());
    }

    pub(crate) fn get(&self, path: &str) -> u64 {
        let Row { offset, size, .. } = *self.layout.row(self.heading, path);
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&self.bytes[offset..offset + size]);
        u64::from_le_bytes(bytes)
    }

    pub(crate) fn get_u32(&self, path: &str) -> u32 {
        u32::try_from(self.get(path)).expect("the table says 4 bytes")
    }

    pub(crate) fn get_u16(&self, path: &str) -> u16 {
        u16::try_from(self.get(path)).expect("the table says 2 bytes")
    }

    pub(crate) fn get_case(&self, path: &str) -> &str {
        let Row { offset, cases, .. } = self.layout.row(self.heading, path);
        &cases[usize::from(self.bytes[*offset])]
    }

    pub(crate) fn get_option(&self, path: &str) -> Option<u64> {
        (self.get_case(path) == "some").then(|| self.get(&format!("{path}.some")))
    }

    pub(crate) fn get_list(&self, path: &str) -> (usize, usize) {
        let Row { offset, .. } = *self.layout.row(self.heading, path);
        let number = |at| u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("4 bytes")) as usize;
        (number(offset), number(offset + 4))
    }
}
