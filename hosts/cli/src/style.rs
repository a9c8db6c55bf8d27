//! Colours. Whether anybody sees them is the writer's business: `anstream` drops them unless it writes to a terminal,
//! and where `NO_COLOR` is set.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const WAITING: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const SENT: Style = AnsiColor::Cyan.on_default();

/// `what` in a style.
pub(crate) fn paint(style: Style, what: impl Display) -> String {
    format!("{style}{what}{style:#}")
}
