//! What the requests to one origin, or under one key, share: found by name, made when it is first asked for, forgotten when
//! it says nothing any more.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use http::{HeaderMap, Uri, header::HOST};
use policy_core::{BudgetScope, Mark, Tokens};

use crate::{budget::RetryBudget, engine::Description, network::Hold};

/// The origin of a request: scheme, host and port.
///
/// ```
/// use refrain::Origin;
/// let origin = |uri: &'static str| Origin::of(&http::Uri::from_static(uri), &http::HeaderMap::new());
/// assert_eq!(origin("HTTPS://Example.com/a"), origin("https://example.com:443/b?c"));
/// assert_ne!(origin("http://example.com/"), origin("http://example.com:8080/"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    name: String,
    /// Where the host begins in `name`.
    host: usize,
}

impl Origin {
    /// Of a request for `uri`; where that names no host, as the `Host` field does. All that name none share one origin.
    #[must_use]
    pub fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        let scheme = uri.scheme_str().unwrap_or("http").to_ascii_lowercase();
        let named = || headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let host = uri.authority().map_or_else(named, |authority| authority.as_str());
        let host = host.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
        let has_port = host.rsplit(']').next().is_some_and(|rest| rest.contains(':'));
        let port = match (has_port, scheme.as_str()) {
            (false, "http") => ":80",
            (false, "https") => ":443",
            _ => "",
        };
        Self { name: format!("{scheme}://{host}{port}"), host: scheme.len() + "://".len() }
    }

    /// Host and port.
    fn host(&self) -> &str {
        self.name.get(self.host..).unwrap_or_default()
    }
}

/// The retry budgets of a policy, one for each that its scope tells apart; clones share them.
///
/// Tokens move without a lock. The budget of a request is looked up once, under a lock that readers share; a budget that is
/// full and that no request holds is forgotten when there are many, which changes nothing: a new one is full too.
///
/// ```
/// use refrain::core::{Policy, Rules};
/// use refrain::{BudgetKey, BudgetScope, Budgets, Client, DirectEngine, Engine};
/// # fn client() -> Result<(), Box<dyn std::error::Error>> {
/// let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let budgets = Budgets::new(BudgetScope::Key, engine.description());
/// let client = Client::builder(engine).budgets(budgets).build()?;
/// let request = client.get("http://example.com/").budget_key(BudgetKey::new("tenant-7"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Budgets {
    scope: BudgetScope,
    full: Tokens,
    budgets: Arc<Directory<RetryBudget>>,
}

/// Names the budget of a request, under [`BudgetScope::Key`]. In a request's extensions, where an adapter has no other place.
///
/// ```
/// use refrain::BudgetKey;
/// let request = http::Request::get("/orders/1").extension(BudgetKey::new("tenant-7")).body(())?;
/// assert_eq!(request.extensions().get(), Some(&BudgetKey::new("tenant-7")));
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BudgetKey(Arc<str>);

impl BudgetKey {
    /// This name.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }
}

impl Budgets {
    /// Full budgets for this policy; empty ones, which are never asked, if it has none.
    #[must_use]
    pub fn new(scope: BudgetScope, policy: &Description) -> Self {
        Self { scope, full: policy.budget.unwrap_or_default(), budgets: Arc::default() }
    }

    /// The budget of a request. The scope says which of the arguments counts; under [`BudgetScope::Key`] all that bring no
    /// key share one.
    #[must_use]
    pub fn of(&self, origin: &Origin, key: Option<&BudgetKey>) -> RetryBudget {
        let name = match self.scope {
            BudgetScope::Policy => "",
            BudgetScope::Host => origin.host(),
            BudgetScope::Key => key.map_or("", |key| &key.0),
        };
        self.budgets.get(
            name,
            || RetryBudget::new(self.full),
            |budget| budget.is_unshared() && budget.tokens() >= self.full,
        )
    }
}

/// The holds of all origins; clones share them. When one request is told to stay away, no other is sent to its origin before.
///
/// Those that were held back are sent when the hold ends, all at that mark: their number is the caller's to limit.
///
/// ```
/// use refrain::{Holds, Origin, core::Mark};
/// let origin = |uri: &'static str| Origin::of(&http::Uri::from_static(uri), &http::HeaderMap::new());
/// let (holds, now) = (Holds::default(), Mark::new(1_000));
/// holds.of(&origin("http://a.example/"), now).extend_to(Mark::new(61_000));
/// assert_eq!(holds.clone().of(&origin("http://a.example/other"), now).until(), Some(Mark::new(61_000)));
/// assert_eq!(holds.of(&origin("http://b.example/"), now).until(), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Holds(Arc<Directory<Hold>>);

impl Holds {
    /// The hold of an origin. `now` is for forgetting those that are over.
    #[must_use]
    pub fn of(&self, origin: &Origin, now: Mark) -> Hold {
        let is_over = |hold: &Hold| hold.is_unshared() && hold.until().is_none_or(|until| until <= now);
        self.0.get(&origin.name, Hold::default, is_over)
    }
}

/// Shared values by name.
struct Directory<V>(RwLock<Entries<V>>);

struct Entries<V> {
    values: HashMap<Box<str>, V>,
    /// Idle values are looked for when there are so many.
    sweep_at: usize,
}

const FIRST_SWEEP: usize = 256;

impl<V> Default for Directory<V> {
    fn default() -> Self {
        Self(RwLock::new(Entries { values: HashMap::new(), sweep_at: FIRST_SWEEP }))
    }
}

impl<V> fmt::Debug for Directory<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Directory(..)")
    }
}

impl<V: Clone> Directory<V> {
    /// Whether a value is idle is asked while nobody can get at it by its name.
    fn get(&self, name: &str, make: impl FnOnce() -> V, is_idle: impl Fn(&V) -> bool) -> V {
        if let Some(value) = self.0.read().unwrap_or_else(PoisonError::into_inner).values.get(name) {
            return value.clone();
        }
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.values.len() >= entries.sweep_at {
            entries.values.retain(|_, value| !is_idle(value));
            entries.sweep_at = FIRST_SWEEP.max(entries.values.len().saturating_mul(2));
        }
        entries.values.entry(name.into()).or_insert_with(make).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(uri: &'static str) -> Origin {
        Origin::of(&Uri::from_static(uri), &HeaderMap::new())
    }

    #[test]
    fn an_origin_is_scheme_host_and_port_and_nothing_else() {
        let names = ["http://user:secret@A.example/", "https://[::1]/x", "http://[::1]:8080/", "/y"].map(origin);
        let names = names.each_ref().map(|origin| (origin.name.as_str(), origin.host()));
        let expected = [
            ("http://a.example:80", "a.example:80"),
            ("https://[::1]:443", "[::1]:443"),
            ("http://[::1]:8080", "[::1]:8080"),
            ("http://:80", ":80"),
        ];
        assert_eq!(names, expected);
        let headers = HeaderMap::from_iter([(HOST, http::HeaderValue::from_static("b.example:81"))]);
        assert_eq!(Origin::of(&Uri::from_static("/y"), &headers).host(), "b.example:81");
    }

    #[test]
    fn each_scope_tells_its_own_apart() {
        let policy = Description {
            name: String::new(),
            version: String::new(),
            fields: Vec::new(),
            budget: Some(Tokens::new(10)),
            policy: Vec::new(),
        };
        let (one, other) = (BudgetKey::new("one"), BudgetKey::new("other"));
        let (a, a_tls, b) = (origin("http://a.example/"), origin("https://a.example:80/"), origin("http://b.example/"));
        let shared = |scope, left: (&Origin, &BudgetKey), right: (&Origin, &BudgetKey)| {
            let budgets = Budgets::new(scope, &policy);
            budgets.of(left.0, Some(left.1)).is_same(&budgets.clone().of(right.0, Some(right.1)))
        };
        assert!(shared(BudgetScope::Policy, (&a, &one), (&b, &other)));
        assert!(
            shared(BudgetScope::Host, (&a, &one), (&a_tls, &other))
                && !shared(BudgetScope::Host, (&a, &one), (&b, &one))
        );
        assert!(
            shared(BudgetScope::Key, (&a, &one), (&b, &one)) && !shared(BudgetScope::Key, (&a, &one), (&a, &other))
        );
        assert_eq!(Budgets::new(BudgetScope::Key, &policy).of(&a, None).tokens(), Tokens::new(10));
    }

    #[test]
    fn what_says_nothing_any_more_is_forgotten_and_what_is_held_or_spent_is_not() {
        let holds = Holds::default();
        let named = |number: usize| Origin { name: number.to_string(), host: 0 };
        let (held, told) = (holds.of(&named(0), Mark::new(0)), holds.of(&named(1), Mark::new(0)));
        told.extend_to(Mark::new(60_000));
        drop(told);
        for number in 2..10 * FIRST_SWEEP {
            let over = holds.of(&named(number), Mark::new(1));
            over.extend_to(Mark::new(1));
        }
        assert!(holds.0.0.read().expect("no panic").values.len() <= FIRST_SWEEP);
        held.extend_to(Mark::new(5_000));
        assert_eq!(holds.of(&named(0), Mark::new(1)).until(), Some(Mark::new(5_000)));
        assert_eq!(holds.of(&named(1), Mark::new(1)).until(), Some(Mark::new(60_000)));
    }
}
