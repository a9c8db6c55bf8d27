//! Where a request goes, and what its URL says of who asks.

use ::reqwest::{Client, Url};
use http::{HeaderValue, header::AUTHORIZATION};

use crate::fresh::BoxError;

/// Reads a URL. Name and password in it become the value of an `Authorization` field, as reqwest's own builder has it: in the
/// URL they would be lost, and would stand in what the client underneath logs.
pub(super) fn read(http: &Client, text: &str) -> Result<(Url, Option<HeaderValue>), BoxError> {
    let url: Url = text.parse()?;
    if url.username().is_empty() && url.password().is_none() {
        return Ok((url, None));
    }
    let mut message = http.get(url).build().map_err(::reqwest::Error::without_url)?;
    let credentials = message.headers_mut().remove(AUTHORIZATION);
    Ok((message.url().clone(), credentials))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_password_leave_the_url() {
        let read = |text| read(&Client::new(), text).expect("a URL");
        let (url, credentials) = read("http://user:p%40ss@a.example/b?c");
        // `printf 'user:p@ss' | base64`
        assert_eq!(
            (url.as_str(), credentials.expect("credentials").as_bytes()),
            ("http://a.example/b?c", &b"Basic dXNlcjpwQHNz"[..])
        );
        assert_eq!(read("http://a.example/"), ("http://a.example/".parse().expect("a URL"), None));
    }
}
