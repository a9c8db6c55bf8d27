//! The request that the flags describe. An error names the flag; it never shows a value, which may be a secret that
//! stands in the wrong place.

use std::{fs, io::Read};

use policy_core::IdempotencyKey;
use refrain_document::{Document, KeyForm};
use reqwest::{
    Body, Client, Method, Request, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};

use super::FetchArgs;
use crate::exit::Error;

/// Builds the request, and says what is known about its key, which goes into the field that the policy's document names.
pub(super) fn build(args: &FetchArgs, document: Option<&Document>) -> Result<(Request, IdempotencyKey), Error> {
    let url = url(&args.url)?;
    let method = method(args)?;
    let mut headers = headers(&args.headers)?;
    let key = match &args.idempotency_key {
        None => IdempotencyKey::Absent,
        Some(key) => {
            let (name, value) = key_field(key, document)?;
            if headers.contains_key(&name) {
                return Err(Error::usage(
                    "expected one idempotency key, found `--idempotency-key` and a `--header` of that name",
                ));
            }
            headers.insert(name, value);
            if args.key_honoured { IdempotencyKey::Honoured } else { IdempotencyKey::Sent }
        }
    };
    let body = args.data.as_deref().map(body).transpose()?;
    // The builder turns credentials in the URL into a header.
    let mut request = Client::new().request(method, url).headers(headers);
    if let Some(body) = body {
        request = request.body(body);
    }
    let request = request.build().map_err(|_| Error::usage("expected a URL and headers that make a request"))?;
    Ok((request, key))
}

/// The key as the policy's document has it written; `idempotency-key`, bare, where there is no document.
fn key_field(key: &str, document: Option<&Document>) -> Result<(HeaderName, HeaderValue), Error> {
    const FORBIDDEN: &str = "expected no `--idempotency-key`: the policy names no field for one (`replay.key_field`)";
    let (name, form) = match document.map(|document| &document.host().key) {
        None => ("idempotency-key", KeyForm::Bare),
        Some(Some(field)) => (field.name.as_str(), field.form),
        Some(None) => return Err(Error::usage(FORBIDDEN)),
    };
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(Error::broken)?;
    let value = match form {
        KeyForm::Bare => value(key),
        // What a structured field's string would have to escape is refused.
        KeyForm::Quoted if key.contains(['"', '\\']) => None,
        KeyForm::Quoted => value(&format!("\"{key}\"")),
    };
    Ok((name, value.ok_or_else(|| Error::usage("`--idempotency-key` expects visible characters"))?))
}

fn url(text: &str) -> Result<Url, Error> {
    // The parser's own words are fixed ones and show nothing of the text.
    let url = Url::parse(text).map_err(|why| {
        Error::usage(format!("`<URL>` expects an absolute URL such as `http://localhost:8080/`: {why}"))
    })?;
    match url.scheme() {
        "http" => Ok(url),
        "https" if cfg!(feature = "tls") => Ok(url),
        "https" => Err(Error::usage(
            "this build speaks no `https`: build it with `--features tls`, which needs a C compiler, or use an `http` URL",
        )),
        // Without a scheme, what stands before the first colon is a user's name or a token.
        _ => Err(Error::usage("`<URL>` expects to begin with `http://` or `https://`")),
    }
}

fn method(args: &FetchArgs) -> Result<Method, Error> {
    match &args.method {
        Some(method) => {
            Method::from_bytes(method.as_bytes()).map_err(|_| Error::usage("`--method` expects a token such as `PUT`"))
        }
        None if args.data.is_some() => Ok(Method::POST),
        None => Ok(Method::GET),
    }
}

fn headers(lines: &[String]) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    for (number, line) in (1..).zip(lines) {
        let (name, text) = line
            .split_once(':')
            .and_then(|(name, text)| Some((HeaderName::from_bytes(name.trim().as_bytes()).ok()?, text.trim())))
            .ok_or_else(|| Error::usage(format!("`--header` number {number} expects `Name: value`")))?;
        let value = value(text)
            .ok_or_else(|| Error::usage(format!("`--header` `{name}` expects a value of visible characters")))?;
        headers.append(name, value);
    }
    Ok(headers)
}

fn value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn body(data: &str) -> Result<Body, Error> {
    if data == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        return read
            .map(|_| bytes.into())
            .map_err(|error| Error::usage(format!("`--data -`: cannot read stdin: {error}")));
    }
    match data.strip_prefix('@') {
        Some(path) => fs::read(path)
            .map(Body::from)
            // A body that begins with `@` may have been meant as it stands.
            .map_err(|error| Error::usage(format!("cannot read the file that `--data` names after `@`: {error}"))),
        None => Ok(data.to_owned().into()),
    }
}
