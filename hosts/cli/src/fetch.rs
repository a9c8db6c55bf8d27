//! A real request, retried as the policy says.

mod limited;
mod output;
mod record;
mod request;

use std::{
    fs,
    io::{self, IsTerminal},
    path::PathBuf,
    sync::Arc,
};

use clap::Args;
use policy_core::{End, Millis};
use refrain::{
    CancellationToken, Driver, Last, Options, Reason, ReqwestTransport, RunResult, SystemEntropy, SystemTime,
};
use reqwest::{Client, Response, redirect};
use serde::Serialize;

use self::{limited::Limited, output::Output, record::RecordArgs};
use crate::{
    duration,
    engine::Chosen,
    exit::{CODES, Error, Exit},
    limits::LimitArgs,
    timeline::{Format, Summary, Timeline, aside},
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain fetch http://localhost:8080/report -o report.csv --deadline 2m
  refrain fetch http://localhost:8080/orders -d @order.json -H 'Content-Type: application/json' \\
      --idempotency-key order-4711 --key-honoured
  refrain fetch http://localhost:8080/ --json 2>timeline.jsonl
  refrain fetch http://localhost:8080/ --record report.jsonl";

/// Send a real request, and retry it as the policy says
///
/// The body of the answer goes to stdout, what happens to stderr; no header value, body, query or credential is ever
/// part of that. Redirects are not followed: a 3xx is an answer like others.
#[derive(Args, Debug)]
#[command(after_help = "`refrain fetch --help` shows examples and exit codes.")]
#[command(after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub(crate) struct FetchArgs {
    /// An absolute `http` URL; `https` in a build with the feature `tls`
    url: String,

    /// The method [default: GET, or POST with --data]
    #[arg(short = 'X', long, value_name = "METHOD")]
    method: Option<String>,

    /// A header, `Name: value`; may be repeated
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    headers: Vec<String>,

    /// The body: a text, `@FILE`, or `-` for stdin; kept in memory, so that it can be sent
    /// again; no Content-Type is added
    #[arg(short, long, value_name = "DATA", allow_hyphen_values = true)]
    data: Option<String>,

    /// Sent in the field that the policy names (`Idempotency-Key`), the same on every attempt
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,

    /// The server does nothing twice under one key, so even a POST may be repeated
    #[arg(long, requires = "idempotency_key")]
    key_honoured: bool,

    /// Write the body of a successful answer to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    limits: LimitArgs,

    /// Time of one attempt until the answer begins [default: that of --deadline]
    #[arg(long, value_name = "TIME", value_parser = duration::parse, allow_hyphen_values = true)]
    attempt_timeout: Option<Millis>,

    #[command(flatten)]
    record: RecordArgs,
}

/// Sends the request and hands the answer over.
pub(crate) async fn run(args: &FetchArgs, chosen: &Chosen, format: Format) -> Result<Exit, Error> {
    if chosen.document().is_some_and(|document| document.host().session_required) {
        return Err(Error::usage(
            "expected a policy without `session.required`: `refrain fetch` does not know who is signed in",
        ));
    }
    let (message, key) = request::build(args, chosen.document())?;
    let output = Output::open(args.output.as_deref())?;
    let timeline = Timeline::new(anstream::stderr(), format);
    let is_live = format == Format::Text && io::stderr().is_terminal();
    let timeline = Arc::new(if is_live { timeline.live() } else { timeline });
    let record = args.record.open()?.map(Arc::new);
    let cancel = cancelled_by_ctrl_c(timeline.clone(), output.draft())?;

    let client =
        Client::builder().redirect(redirect::Policy::none()).user_agent(concat!("refrain/", env!("CARGO_PKG_VERSION")));
    let transport = ReqwestTransport::from_builder(client).map_err(|_| {
        Error::incomplete("cannot make an HTTP client: is a proxy or a certificate store set up wrongly?")
    })?;
    let call = transport.call(message);
    let request = policy_core::Request { limits: args.limits.into(), ..call.request(key) };
    // Who names a deadline does not expect to hang on a server that never answers.
    let call = Limited::new(call, args.attempt_timeout.or(args.limits.deadline));
    let observer = Arc::new((timeline.clone(), record.clone()));
    let options = Options { cancel: Some(cancel.clone()), observer: Some(observer), ..Options::default() };
    let driver = Driver::new(chosen.engine.clone(), SystemTime, SystemEntropy);
    let result = driver.run(&request, call, &options).await;
    let exit = hand_over(args, result, &timeline, output, &cancel).await?;
    record.map_or(Ok(()), |record| record.check())?;
    Ok(exit)
}

/// Says what came of the request, and writes the body of its answer.
async fn hand_over(
    args: &FetchArgs,
    result: RunResult<Response, reqwest::Error>,
    timeline: &Timeline,
    output: Output,
    cancel: &CancellationToken,
) -> Result<Exit, Error> {
    let summary = Summary::of(&result);
    timeline.finish(&summary);
    if let Some(key) = missing_key(args, &summary.reason) {
        timeline.say(&aside(key), &Remark::KeyNotHonoured);
    }
    let exit = Exit::of(&summary.reason);
    let response = match result {
        Ok(delivered) => Some(delivered.response),
        Err(ended) => match ended.last {
            Last::Response(response) => Some(response),
            _ => None,
        },
    };
    let Some(response) = response else { return Ok(exit) };
    if exit != Exit::Success && output.is_file() {
        timeline.say(&aside("the body is not written: the answer was no success"), &Remark::BodyNotWritten);
        return Ok(exit);
    }
    match cancel.run_until_cancelled(receive(response, output)).await {
        Some(received) => received.map(|()| exit),
        None => Ok(Exit::Cancelled),
    }
}

/// What a program reads beside the events of the request.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Remark {
    BodyNotWritten,
    KeyNotHonoured,
}

/// What would let a request be repeated that must not be as it is.
fn missing_key(args: &FetchArgs, reason: &Reason) -> Option<&'static str> {
    match (reason, &args.idempotency_key) {
        (Reason::Policy(End::NotIdempotent), None) => {
            Some("if the server takes idempotency keys: `--idempotency-key KEY --key-honoured`")
        }
        (Reason::Policy(End::NotIdempotent), Some(_)) if !args.key_honoured => {
            Some("if the server does nothing twice under one key: `--key-honoured`")
        }
        _ => None,
    }
}

/// Copies the body, piece by piece.
async fn receive(mut response: Response, mut output: Output) -> Result<(), Error> {
    let mut received: u64 = 0;
    loop {
        match response.chunk().await {
            Ok(Some(piece)) => {
                output.write(&piece)?;
                received = received.saturating_add(piece.len().try_into().unwrap_or(u64::MAX));
            }
            Ok(None) => return output.finish(),
            // The client's own words would show the URL.
            Err(_) => return Err(Error::incomplete(format!("the body broke off after {received} bytes"))),
        }
    }
}

/// A token that the first Ctrl-C cancels. A second one ends the process, whatever it does, and removes `draft`.
fn cancelled_by_ctrl_c(timeline: Arc<Timeline>, draft: Option<PathBuf>) -> Result<CancellationToken, Error> {
    #[cfg(unix)]
    let signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
    #[cfg(windows)]
    let signal = tokio::signal::windows::ctrl_c();
    let mut signal = signal.map_err(|error| Error::incomplete(format!("cannot listen for Ctrl-C: {error}")))?;
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    tokio::spawn(async move {
        signal.recv().await;
        // On a thread of its own: where nobody reads stderr, it does not come back, and the second is heard all the same.
        tokio::task::spawn_blocking(move || {
            timeline.remark(&SystemTime, "Ctrl-C: the request is cancelled");
            token.cancel();
        });
        signal.recv().await;
        // Nothing is dropped at an exit, and with it no unfinished file is removed.
        if let Some(draft) = draft {
            let _ = fs::remove_file(draft);
        }
        std::process::exit(Exit::Cancelled as i32);
    });
    Ok(cancel)
}
