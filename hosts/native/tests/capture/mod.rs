//! Everything that is emitted through `tracing` on this thread, at every level.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::{MakeWriter, format::FmtSpan};

/// What was emitted so far.
#[derive(Clone, Default)]
pub(crate) struct Capture(Arc<Mutex<Vec<u8>>>);

impl Capture {
    /// Captures until the guard is dropped.
    pub(crate) fn start() -> (Self, DefaultGuard) {
        let capture = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_max_level(tracing::Level::TRACE)
            .with_span_events(FmtSpan::NEW | FmtSpan::CLOSE)
            .with_writer(capture.clone())
            .finish();
        (capture, tracing::subscriber::set_default(subscriber))
    }

    /// All of it, as it was written.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("JSON is text")
    }

    /// The events, without those of spans.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.lines().into_iter().filter(|line| !is_of_span(line)).collect()
    }

    /// The names of the spans that were closed, in order.
    pub(crate) fn closed(&self) -> Vec<String> {
        let closed = |line: &Value| line["fields"]["message"] == "close";
        let name = |line: Value| line["span"]["name"].as_str().unwrap_or_default().to_owned();
        self.lines().into_iter().filter(closed).map(name).collect()
    }

    fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn is_of_span(line: &Value) -> bool {
    matches!(line["fields"]["message"].as_str(), Some("new" | "close"))
}

impl<'a> MakeWriter<'a> for Capture {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
