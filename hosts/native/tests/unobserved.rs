//! A request that succeeds allocates nothing of its own, as long as nobody watches it.

mod bench;

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bench::{GET, RULES, engine};
use refrain::core::Sample;
use refrain::observer::Scope;
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::{Driver, Failure, Observer, Options, Trace, transport};

struct Nobody;

impl Observer for Nobody {}

/// Watches with a scope.
struct Somebody;

impl Observer for Somebody {
    fn scope(&self, _: u64) -> Option<Box<dyn Scope>> {
        Some(Box::new(Companion { seen: 0 }))
    }
}

struct Companion {
    seen: usize,
}

impl Scope for Companion {
    fn event(&mut self, _: &Trace) {
        self.seen += 1;
    }
}

/// Allocations of one request that is answered at once.
fn allocations(options: &Options) -> u64 {
    let driver = Driver::new(engine(RULES), TestTime::default(), ScriptedEntropy::new(Sample::ONE));
    let send = transport::from_fn(|_| async { Ok::<_, Failure<std::io::Error>>(http::Response::new(())) });
    let counted = allocation_counter::measure(|| {
        let poll = pin!(driver.run(&GET, send, options)).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(poll, Poll::Ready(Ok(delivered)) if delivered.attempts == 1));
    });
    counted.count_total
}

#[test]
fn only_a_request_that_is_watched_allocates() {
    let watched = |observer: Arc<dyn Observer>| Options { observer: Some(observer), ..Options::default() };
    let counts = [Options::default(), watched(Arc::new(Nobody)), watched(Arc::new(Somebody))];
    assert_eq!(counts.each_ref().map(allocations), [0, 1, 2]);
}
