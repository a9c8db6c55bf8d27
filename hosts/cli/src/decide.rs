//! One decision, explained.

mod ask;
mod checks;
mod report;

use clap::{Args, ValueEnum};
use policy_core::{FailureKind, IdempotencyKey, Method, Millis, Network, Sample, Tokens};

use self::report::Report;
use crate::{
    decimal, duration,
    engine::Chosen,
    exit::{Error, Exit},
    limits::LimitArgs,
    moment::{self, Clock},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain decide --status 503
  refrain decide --status 429 --retry-after 120 --retry-index 1
  refrain decide --status 503 --retry-after 'Sun, 06 Nov 1994 08:49:37 GMT' --now 1994-11-06T08:49:00Z
  refrain decide --status 429 -H 'retry-after-ms: 1500' -H 'x-should-retry: true' --policy openai-anthropic
  refrain decide --failure ambiguous --timed-out --method POST --key honoured --sample 0.25

\x1b[1;4mExit codes:\x1b[0m 0 a decision was made, whatever it is; 2 bad usage; 5 the policy's engine failed";

/// Explain a single decision: whether and when to send again after one result, and why
#[derive(Args, Debug)]
#[command(after_help = "`refrain decide --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct DecideArgs {
    #[command(flatten)]
    result: ResultArgs,
    #[command(flatten)]
    request: RequestArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    now: NowArgs,
}

/// What came of the attempt.
#[derive(Args, Debug)]
#[command(next_help_heading = "The result (one of --status and --failure)")]
struct ResultArgs {
    #[command(flatten)]
    kind: ResultKind,

    /// The failure was the attempt's timeout
    #[arg(long, requires = "failure")]
    timed_out: bool,

    /// The response's Retry-After
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, conflicts_with = "failure")]
    retry_after: Option<String>,

    /// Another response field, for example `x-should-retry: false`; may be given several times
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header, conflicts_with = "failure")]
    headers: Vec<(String, String)>,

    /// A layer below retried this and gave up
    #[arg(long)]
    nested_gave_up: bool,
}

/// A response or a failure.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct ResultKind {
    /// The status of a response
    #[arg(long, value_name = "CODE", value_parser = clap::value_parser!(u16).range(100..=599))]
    status: Option<u16>,

    /// A failure, named by what is known about processing
    #[arg(long, value_name = "KIND", value_parser = failure_parser())]
    failure: Option<FailureKind>,
}

/// What is known about the request.
#[derive(Args, Debug)]
#[command(next_help_heading = "The request")]
struct RequestArgs {
    /// Which retry is decided about, from 0: how many attempts were made before the one that brought the result
    #[arg(long, value_name = "I", default_value_t = 0, allow_negative_numbers = true)]
    retry_index: u32,

    /// The method; names are case-sensitive
    #[arg(long, value_name = "METHOD", default_value = "GET")]
    method: String,

    /// The idempotency key
    #[arg(long, value_enum, default_value_t = Key::Absent)]
    key: Key,

    /// The body cannot be sent again
    #[arg(long)]
    one_shot_body: bool,
}

/// What is known about an idempotency key.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Key {
    /// None is sent
    Absent,
    /// One is sent, and nobody knows whether the server heeds it
    Sent,
    /// One is sent, and the server does nothing twice under it
    Honoured,
}

/// What is true outside when the result arrives.
#[derive(Args, Debug)]
#[command(next_help_heading = "The moment")]
struct NowArgs {
    /// The wall clock: an HTTP-date, seconds since 1970, RFC 3339, or `none` [default: that of this machine]
    #[arg(long, value_name = "MOMENT", value_parser = moment::parse, allow_negative_numbers = true)]
    now: Option<Clock>,

    /// The random number, a fraction from 0 to 1; 1 is the longest wait
    #[arg(long, value_name = "0..1", value_parser = sample, default_value = "1", allow_negative_numbers = true)]
    sample: Sample,

    /// Tokens in the shared retry budget [default: as many as it holds]
    #[arg(long, value_name = "N", value_parser = tokens, allow_negative_numbers = true)]
    tokens: Option<Tokens>,

    /// Time since the request began
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "0ms", allow_hyphen_values = true)]
    elapsed: Millis,

    /// What is known about connectivity
    #[arg(long, value_enum, default_value_t = Connectivity::Unknown)]
    network: Connectivity,

    /// The caller has cancelled
    #[arg(long)]
    cancelled: bool,

    /// Somebody else is signed in
    #[arg(long)]
    session_changed: bool,
}

/// What is known about connectivity.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Connectivity {
    Unknown,
    Up,
    Down,
}

/// Asks the engine and explains what it says.
pub(crate) fn run(args: &DecideArgs, chosen: &Chosen, format: Format) -> Result<Exit, Error> {
    let asked = ask::Asked::of(args, chosen);
    let report = Report::of(&asked, chosen).map_err(Error::broken)?;
    crate::report::show(format, &report, Report::text)?;
    Ok(Exit::Success)
}

/// A field, its name in lower case.
fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("expected `NAME: VALUE`")?;
    Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
}

impl RequestArgs {
    fn method(&self) -> Method {
        Method::from_name(&self.method)
    }
}

impl From<Key> for IdempotencyKey {
    fn from(key: Key) -> Self {
        match key {
            Key::Absent => Self::Absent,
            Key::Sent => Self::Sent,
            Key::Honoured => Self::Honoured,
        }
    }
}

impl From<Connectivity> for Network {
    fn from(connectivity: Connectivity) -> Self {
        match connectivity {
            Connectivity::Unknown => Self::Unknown,
            Connectivity::Up => Self::Up,
            Connectivity::Down => Self::Down,
        }
    }
}

fn failure_parser() -> impl clap::builder::TypedValueParser<Value = FailureKind> {
    use clap::builder::{PossibleValuesParser, TypedValueParser as _};
    PossibleValuesParser::new(FailureKind::ALL.map(FailureKind::name)).try_map(|name| {
        FailureKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or("expected a kind of failure")
    })
}

fn sample(text: &str) -> Result<Sample, &'static str> {
    const PLACES: usize = 9;
    let fraction = decimal::scaled(text, PLACES).and_then(|billionths| u32::try_from(billionths).ok());
    fraction
        .and_then(|billionths| Sample::from_ratio(billionths, 1_000_000_000))
        .ok_or("expected a fraction from 0 to 1 with at most 9 decimals, such as `0.25`")
}

fn tokens(text: &str) -> Result<Tokens, &'static str> {
    let thousandths = decimal::scaled(text, 3).and_then(|thousandths| u32::try_from(thousandths).ok());
    thousandths.map(Tokens::from_thousandths).ok_or("expected a number with at most 3 decimals, such as `499.5`")
}
