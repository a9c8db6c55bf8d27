//! A million logical requests that wait, on virtual time: what each of them keeps in memory.

use std::{
    cell::{Cell, RefCell},
    cmp::Reverse,
    collections::BinaryHeap,
    convert::Infallible,
    error::Error,
    future::{Future, ready},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use http::{Response, StatusCode};
use refrain::{
    Attempt, Attempted, Delivered, DirectEngine, Driver, Options, Rounding, SystemEntropy, Time, Transport,
    core::{Mark, Method, Policy, Request, Rules, UnixMillis},
};

use crate::measure::{Measures, bytes_kept};

/// Parks so many requests, says what each keeps, and runs all of them to their end.
pub(crate) fn measure(requests: u32, measures: &mut Measures) -> Result<(), Box<dyn Error>> {
    println!("\n{requests} requests that wait, on virtual time");
    let engine = DirectEngine::new("cost", "1.0.0", Policy::new(Rules { budget: None, ..Rules::DEFAULT })?)?;
    let (driver, options) = (Driver::new(engine, VirtualTime, SystemEntropy), Options::default());
    let request = Request::new(Method::Get);
    let run = || driver.run(&request, BusyOnce { sends: 0 }, &options);
    let with = park(requests, run, |result| matches!(result, Ok(Delivered { attempts: 2, .. })));
    let bare = || async {
        let mut call = BusyOnce { sends: 0 };
        let attempt = |number| Attempt { number, timeout: None, max: None };
        let is_busy = call.attempt(attempt(1)).await.result.is_ok();
        VirtualTime.sleep_until(Mark::new(500)).await;
        is_busy && call.attempt(attempt(2)).await.result.is_ok()
    };
    let without = park(requests, bare, |succeeded| succeeded);
    // An attempt has a timer of its own for its time limit.
    let (description, timer) = (size_of::<Request>() as f64, size_of::<Sleep>() as f64);
    let own = with - without - description - timer;
    println!("{:<44} {with:>8.1} bytes a request", "with a policy");
    println!("{:<44} {without:>8.1} bytes a request", "the request and the host's timer alone");
    println!("{:<44} {description:>8.1} bytes a request", "what the policy is told of the request");
    println!("{:<44} {timer:>8.1} bytes a request", "the timer of an attempt");
    println!("{:<44} {own:>8.1} bytes a request", "what is left for retries");
    measures.add(
        "waiting request, what is kept for retries",
        own,
        "bytes",
        Some("the request and the host's timers alone"),
    );
    Ok(())
}

/// Begins requests that wait, runs them all to a success, and returns the bytes that each kept while it waited.
fn park<F: Future>(requests: u32, begin: impl Fn() -> F, succeeded: impl Fn(F::Output) -> bool) -> f64 {
    CLOCK.with_borrow_mut(|clock| *clock = Clock::with_room(requests));
    let mut running: Vec<Option<Pin<Box<F>>>> = Vec::with_capacity(requests as usize);
    let waker = Waker::from(Arc::new(Deaf));
    let mut context = Context::from_waker(&waker);
    let kept = bytes_kept(|| {
        for number in 0..requests {
            let mut request = Box::pin(begin());
            CURRENT.set(number);
            assert!(request.as_mut().poll(&mut context).is_pending(), "each request waits");
            running.push(Some(request));
        }
    });
    let mut left = requests;
    while let Some(number) = CLOCK.with_borrow_mut(Clock::next) {
        CURRENT.set(number);
        let request = &mut running[number as usize];
        if let Poll::Ready(ended) = request.as_mut().expect("a request that runs").as_mut().poll(&mut context) {
            assert!(succeeded(ended), "each request succeeds with its second send");
            (*request, left) = (None, left - 1);
        }
    }
    assert_eq!(left, 0, "no request is left behind");
    kept as f64 / f64::from(requests)
}

/// A request that is told once that the server is busy.
struct BusyOnce {
    sends: u32,
}

impl Transport for BusyOnce {
    type Response = Response<()>;
    type Error = Infallible;

    fn attempt(&mut self, _: Attempt) -> impl Future<Output = Attempted<Response<()>, Infallible>> + Send {
        let mut answer = Response::new(());
        if self.sends == 0 {
            *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        }
        self.sends += 1;
        ready(Ok(answer).into())
    }
}

thread_local! {
    static CLOCK: RefCell<Clock> = RefCell::default();
    /// The request that is polled.
    static CURRENT: Cell<u32> = const { Cell::new(0) };
}

/// Jumps from one timer to the next.
#[derive(Default)]
struct Clock {
    now: Mark,
    timers: BinaryHeap<Reverse<(Mark, u32)>>,
}

impl Clock {
    /// So that no timer allocates while requests are measured.
    fn with_room(timers: u32) -> Self {
        Self { now: Mark::default(), timers: BinaryHeap::with_capacity(2 * timers as usize) }
    }

    /// Goes to the next timer, and returns whose it is.
    fn next(&mut self) -> Option<u32> {
        let Reverse((mark, number)) = self.timers.pop()?;
        self.now = mark;
        Some(number)
    }
}

struct VirtualTime;

impl Time for VirtualTime {
    fn mark(&self, _: Rounding) -> Mark {
        CLOCK.with_borrow(|clock| clock.now)
    }

    fn wall(&self) -> Option<UnixMillis> {
        None
    }

    fn sleep_until(&self, until: Mark) -> impl Future<Output = ()> + Send {
        Sleep { until, is_set: false }
    }
}

struct Sleep {
    until: Mark,
    is_set: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        CLOCK.with_borrow_mut(|clock| match clock.now >= self.until {
            true => Poll::Ready(()),
            false => {
                if !std::mem::replace(&mut self.is_set, true) {
                    clock.timers.push(Reverse((self.until, CURRENT.get())));
                }
                Poll::Pending
            }
        })
    }
}

/// The loop polls whoever is due, and needs no waker.
struct Deaf;

impl Wake for Deaf {
    fn wake(self: Arc<Self>) {}
}
