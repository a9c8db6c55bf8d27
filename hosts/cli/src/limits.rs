//! Limits of one request, as flags.

use clap::Args;
use policy_core::{Limits, Millis};

use crate::{decimal, duration};

/// Limits of this request. They only tighten the policy: a looser one changes nothing.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Limits (they only tighten the policy)")]
pub(crate) struct LimitArgs {
    /// Sends, the first included
    #[arg(long, value_name = "N", value_parser = sends, allow_negative_numbers = true)]
    max_attempts: Option<u32>,

    /// Time over all attempts, such as `30s`; a wait that would pass it is not begun
    #[arg(long, value_name = "TIME", value_parser = duration::parse, allow_hyphen_values = true)]
    pub(crate) deadline: Option<Millis>,

    /// Longest wait in this process; what asks for more is deferred
    #[arg(long, value_name = "TIME", value_parser = duration::parse, allow_hyphen_values = true)]
    max_wait: Option<Millis>,
}

impl From<LimitArgs> for Limits {
    fn from(LimitArgs { max_attempts, deadline, max_wait }: LimitArgs) -> Self {
        Self { max_attempts, deadline, max_wait }
    }
}

fn sends(text: &str) -> Result<u32, &'static str> {
    let sends = decimal::scaled(text, 0).and_then(|sends| u32::try_from(sends).ok());
    sends.filter(|sends| *sends > 0).ok_or("expected a number of sends, at least 1 and below 2^32")
}
