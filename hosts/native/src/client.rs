//! A small HTTP client: the data, or a typed error.

mod address;
mod call;
mod error;
mod prepare;
mod read;
mod request;

use std::sync::Arc;

use policy_core::Millis;

use crate::{
    directory::{Budgets, Holds},
    driver::Driver,
    engine::{DirectEngine, Engine},
    entropy::{Entropy, SystemEntropy},
    fresh::FreshHeaders,
    key::KeyField,
    options::Options,
    sharing::Sharing,
    time::{SystemTime, Time},
    transport::reqwest::without_retries,
};

pub use error::{ClientError, Invalid, SendError};
pub use request::RequestBuilder;

/// A small HTTP client over [`reqwest`], whose own retries are switched off; clones share it.
///
/// It gives the data, or a [`ClientError`] with the status, the server's delay, the number of sends, and whether an earlier
/// attempt may have been applied. Any [`Engine`] decides. Redirects are followed as reqwest's builder says, and a hop is not
/// counted; a 401 is an error like other statuses. Name and password in a URL are sent as reqwest sends them.
///
/// ```
/// use refrain::core::{Policy, Rules};
/// use refrain::{Client, DirectEngine};
///
/// # async fn fetch() -> Result<(), Box<dyn std::error::Error>> {
/// let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let client = Client::new(engine)?;
/// match client.get("http://localhost:8080/report").send().await {
///     Ok(delivered) => println!("{} bytes", delivered.response.body().len()),
///     Err(error) => println!("{error}, status {:?}, {} sends", error.status(), error.attempts()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client<E = DirectEngine, T = SystemTime, X = SystemEntropy>(Arc<Shared<E, T, X>>);

impl<E, T, X> Clone for Client<E, T, X> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[derive(Debug)]
pub(crate) struct Shared<E, T, X> {
    pub(crate) driver: Driver<E, T, X>,
    pub(crate) http: ::reqwest::Client,
    pub(crate) settings: Settings,
}

/// What all requests of a client have in common.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub(crate) options: Options,
    pub(crate) key_field: KeyField,
    pub(crate) fresh: Option<Arc<dyn FreshHeaders>>,
    pub(crate) announces: bool,
    pub(crate) sharing: Sharing,
    pub(crate) max_body: Option<usize>,
    pub(crate) body_timeout: Option<Millis>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("key_field", &self.key_field).finish_non_exhaustive()
    }
}

impl<E: Engine> Client<E> {
    /// A client with reqwest's defaults, the machine's time and randomness.
    ///
    /// # Errors
    /// When reqwest's client cannot be built, for example without a TLS backend that works.
    pub fn new(engine: E) -> Result<Self, ::reqwest::Error> {
        Self::builder(engine).build()
    }

    /// Settings for a client.
    pub fn builder(engine: E) -> ClientBuilder<E> {
        ClientBuilder {
            engine,
            time: SystemTime,
            entropy: SystemEntropy,
            http: ::reqwest::Client::builder(),
            settings: Settings::default(),
        }
    }
}

impl<E: Engine, T: Time, X: Entropy> Client<E, T, X> {
    /// The driver, with the retry budget that all requests share which bring none.
    ///
    /// ```
    /// # use refrain::{Client, DirectEngine, core::{Policy, Rules, Tokens}};
    /// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
    /// let client = Client::new(engine)?;
    /// assert_eq!(client.driver().budget().tokens(), Tokens::new(500));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn driver(&self) -> &Driver<E, T, X> {
        &self.0.driver
    }

    /// A GET.
    pub fn get<'a>(&'a self, url: &'a str) -> RequestBuilder<'a, E, T, X> {
        self.request(http::Method::GET, url)
    }

    /// A POST. It is repeated only with a key, or if it provably was not processed.
    pub fn post<'a>(&'a self, url: &'a str) -> RequestBuilder<'a, E, T, X> {
        self.request(http::Method::POST, url)
    }

    /// A PUT.
    pub fn put<'a>(&'a self, url: &'a str) -> RequestBuilder<'a, E, T, X> {
        self.request(http::Method::PUT, url)
    }

    /// A DELETE.
    pub fn delete<'a>(&'a self, url: &'a str) -> RequestBuilder<'a, E, T, X> {
        self.request(http::Method::DELETE, url)
    }

    /// A request of any method. A URL that is not absolute, or cannot be read, is told by [`RequestBuilder::send`].
    pub fn request<'a>(&'a self, method: http::Method, url: &'a str) -> RequestBuilder<'a, E, T, X> {
        RequestBuilder::new(&self.0, method, url)
    }
}

/// Settings for a [`Client`].
///
/// ```
/// use std::time::Duration;
/// use refrain::{Client, KeyField, KeyForm, core::Millis};
/// # use refrain::{DirectEngine, core::{Policy, Rules}};
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let client = Client::builder(engine)
///     .http(reqwest::Client::builder().connect_timeout(Duration::from_secs(5)))
///     .key_field(KeyField { form: KeyForm::Quoted, ..KeyField::default() })
///     .max_body(10 << 20)
///     .body_timeout(Millis::from_secs(30))
///     .build()?;
/// # let _ = client;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct ClientBuilder<E, T = SystemTime, X = SystemEntropy> {
    engine: E,
    time: T,
    entropy: X,
    http: ::reqwest::ClientBuilder,
    settings: Settings,
}

impl<E: Engine, T: Time, X: Entropy> ClientBuilder<E, T, X> {
    /// Another time, such as [`testing::TestTime`](crate::testing::TestTime).
    pub fn time<U: Time>(self, time: U) -> ClientBuilder<E, U, X> {
        let Self { engine, entropy, http, settings, .. } = self;
        ClientBuilder { engine, time, entropy, http, settings }
    }

    /// Another source of randomness.
    pub fn entropy<Y: Entropy>(self, entropy: Y) -> ClientBuilder<E, T, Y> {
        let Self { engine, time, http, settings, .. } = self;
        ClientBuilder { engine, time, entropy, http, settings }
    }

    /// Connections, redirects, proxies and TLS as this builder says. Its retries are switched off, and its resolver is
    /// replaced by one that tells "no such name" from other failures to connect.
    pub fn http(self, http: ::reqwest::ClientBuilder) -> Self {
        Self { http, ..self }
    }

    /// The handles of every request that brings none of its own.
    pub fn options(mut self, options: Options) -> Self {
        self.settings.options = options;
        self
    }

    /// The field in which this server takes idempotency keys, and honours them; `Idempotency-Key` unless it is set.
    pub fn key_field(mut self, field: KeyField) -> Self {
        self.settings.key_field = field;
        self
    }

    /// Makes headers anew for each attempt.
    pub fn fresh_headers(mut self, fresh: impl FreshHeaders + 'static) -> Self {
        self.settings.fresh = Some(Arc::new(fresh));
        self
    }

    /// The retry budgets that requests share; the driver's own, for all, unless they are set.
    pub fn budgets(mut self, budgets: Budgets) -> Self {
        self.settings.sharing.budgets = Some(budgets);
        self
    }

    /// Holds requests back whose origin asked a sibling to stay away. Nothing is held back unless this is set.
    pub fn holds(mut self, holds: Holds) -> Self {
        self.settings.sharing.holds = Some(holds);
        self
    }

    /// Tells the server of each attempt that it is retried here, in [`Nesting::FIELD`](crate::Nesting::FIELD).
    pub fn announce(mut self) -> Self {
        self.settings.announces = true;
        self
    }

    /// The longest body that [`RequestBuilder::send`] reads, in bytes after decoding; as long as memory lasts unless it is
    /// set. A longer one fails.
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.settings.max_body = Some(bytes);
        self
    }

    /// The longest time from the head of an answer to the end of its body, for [`RequestBuilder::send`]; any unless it is
    /// set. The policy's timeout is for the time up to the head; a deadline that cuts attempts short is for all of it.
    pub fn body_timeout(mut self, timeout: Millis) -> Self {
        self.settings.body_timeout = Some(timeout);
        self
    }

    /// The client.
    ///
    /// # Errors
    /// When reqwest's client cannot be built.
    pub fn build(self) -> Result<Client<E, T, X>, ::reqwest::Error> {
        let Self { engine, time, entropy, http, settings } = self;
        let http = without_retries(http)?;
        Ok(Client(Arc::new(Shared { driver: Driver::new(engine, time, entropy), http, settings })))
    }
}
