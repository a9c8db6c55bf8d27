//! What a Retry-After value means, or why it is refused.

use clap::Args;
use policy_core::{
    HintReport, Millis, UnixMillis,
    retry_after::{self, Proof, RetryAfter},
};
use serde::Serialize;

use crate::{
    duration,
    engine::Chosen,
    exit::{Error, Exit},
    moment::{self, Clock},
    report,
    style::{BAD, GOOD, paint},
    timeline::Format,
    words,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain parse 120
  refrain parse 'Sun, 06 Nov 1994 08:49:37 GMT' --now 'Sun, 06 Nov 1994 08:46:17 GMT'
  refrain parse --hex '31 32 30 a0'     a value with a byte that is no ASCII

\x1b[1;4mExit codes:\x1b[0m 0 it can be read, 1 it is refused, 2 bad usage, 5 the policy's engine failed";

/// Say what a Retry-After value means, or why it is refused
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ParseArgs {
    /// The value of the field; several lines of it joined with a comma
    #[arg(allow_negative_numbers = true)]
    value: String,

    /// VALUE is hexadecimal: two digits a byte, white space ignored
    #[arg(long)]
    hex: bool,

    /// The wall clock: an HTTP-date, seconds since 1970, RFC 3339, or `none` [default: that of this machine]
    #[arg(long, value_name = "MOMENT", value_parser = moment::parse, allow_negative_numbers = true)]
    now: Option<Clock>,
}

/// Asks the engine and prints what it says.
pub(crate) fn run(args: &ParseArgs, chosen: &Chosen, format: Format) -> Result<Exit, Error> {
    let value = if args.hex { bytes(&args.value)? } else { args.value.clone().into_bytes() };
    let now = Clock::or_system(args.now);
    let parsed = chosen.engine.parse(&value, now).map_err(Error::broken)?;
    let meaning = match parsed {
        Ok(said) => Meaning::of(said, now),
        Err(reason) => {
            let proof = retry_after::parse(&value, chosen.policy.rules().hint.dates, now).map_err(|error| error.proof);
            Meaning::refused(reason, proof.err().unwrap_or(Proof::Nothing))
        }
    };
    report::show(format, &meaning, Meaning::text)?;
    Ok(if matches!(meaning, Meaning::Refused { .. }) { Exit::NoSuccess } else { Exit::Success })
}

fn bytes(hex: &str) -> Result<Vec<u8>, Error> {
    let digits: Option<Vec<u8>> = hex
        .chars()
        .filter(|letter| !letter.is_ascii_whitespace())
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    match digits.as_deref().map(<[u8]>::as_chunks::<2>) {
        Some((pairs, [])) => Ok(pairs.iter().map(|[high, low]| high << 4 | low).collect()),
        _ => Err(Error::usage(format!("`--hex` expects pairs of hexadecimal digits, found `{hex}`"))),
    }
}

/// What a value means.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Meaning {
    DelaySeconds {
        seconds: u64,
        remaining_ms: u64,
    },
    At {
        unix_seconds: i64,
        date: String,
        /// Absent without a wall clock.
        remaining_ms: Option<u64>,
    },
    Refused {
        reason: &'static str,
        sentence: String,
        /// What the value proves all the same.
        proves: Option<Proven>,
    },
}

#[derive(Serialize)]
#[serde(tag = "wait", rename_all = "kebab-case")]
enum Proven {
    /// No shorter than each of these.
    AtLeast {
        seconds: Option<u64>,
        unix_seconds: Option<i64>,
    },
    Unknown,
}

impl Meaning {
    fn of(said: RetryAfter, now: Option<UnixMillis>) -> Self {
        match said {
            RetryAfter::DelaySeconds(seconds) => {
                Self::DelaySeconds { seconds, remaining_ms: Millis::from_secs(seconds).get() }
            }
            RetryAfter::At(second) => Self::At {
                unix_seconds: second,
                date: moment::text(second),
                remaining_ms: now.map(|now| now.until(UnixMillis::at_second(second)).get()),
            },
        }
    }

    fn refused(reason: HintReport, proof: Proof) -> Self {
        let proves = match proof {
            Proof::Nothing => None,
            Proof::AtLeast { seconds, date } => Some(Proven::AtLeast { seconds, unix_seconds: date }),
            Proof::Unknown => Some(Proven::Unknown),
        };
        Self::Refused { reason: reason.name(), sentence: words::refused(reason), proves }
    }

    fn text(&self) -> String {
        match self {
            Self::DelaySeconds { seconds, remaining_ms } => {
                let span = duration::text(Millis::new(*remaining_ms));
                format!("{}: wait {seconds} s ({span})", paint(GOOD, "a delay"))
            }
            Self::At { unix_seconds, date, remaining_ms } => {
                let remaining = match remaining_ms {
                    Some(0) => "it has passed: 0 ms remain".to_owned(),
                    Some(ms) => format!("{} remain", duration::text(Millis::new(*ms))),
                    None => "how long that is nobody can say without a wall clock".to_owned(),
                };
                format!("{}: {date} (second {unix_seconds} since 1970)\n  {remaining}", paint(GOOD, "a moment"))
            }
            Self::Refused { reason, sentence, proves } => {
                let proven = proves.as_ref().map(|proven| format!("\n  still proves {}", proven.text()));
                format!("{} {reason}: {sentence}{}", paint(BAD, "refused,"), proven.unwrap_or_default())
            }
        }
    }
}

impl Proven {
    fn text(&self) -> String {
        match self {
            Self::Unknown => "a wait, of unknown length".to_owned(),
            Self::AtLeast { seconds, unix_seconds } => {
                let seconds = seconds.map(|seconds| match seconds {
                    u64::MAX => "a wait of 2^64 - 1 s or more".to_owned(),
                    seconds => format!("a wait of at least {seconds} s"),
                });
                let date = unix_seconds.map(|second| format!("a wait until {} at least", moment::text(second)));
                seconds.into_iter().chain(date).collect::<Vec<_>>().join(", and ")
            }
        }
    }
}
