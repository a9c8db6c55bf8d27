//! Limits of one request, as flags.

use clap::Args;
use policy_core::{Limits, Millis};

use crate::duration;

/// Limits of this request. They only tighten the policy: a looser one changes nothing.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Limits (they only tighten the policy)")]
pub(crate) struct LimitArgs {
    /// Sends, the first included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    max_attempts: Option<u32>,

    /// Time over all attempts, such as `30s`
    #[arg(long, value_name = "TIME", value_parser = duration::parse, allow_hyphen_values = true)]
    deadline: Option<Millis>,

    /// Longest wait in this process; what asks for more is deferred
    #[arg(long, value_name = "TIME", value_parser = duration::parse, allow_hyphen_values = true)]
    max_wait: Option<Millis>,
}

impl From<LimitArgs> for Limits {
    fn from(LimitArgs { max_attempts, deadline, max_wait }: LimitArgs) -> Self {
        Self { max_attempts, deadline, max_wait }
    }
}
