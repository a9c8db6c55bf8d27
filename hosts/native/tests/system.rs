//! The machine's own clocks, timers and randomness.

use std::time::Duration;

use refrain::core::{Mark, Millis};
use refrain::{Entropy, Rounding, SessionHandle, SystemEntropy, SystemTime, Time};

#[tokio::test]
async fn a_wait_is_over_when_the_clock_has_reached_its_mark() {
    let until = SystemTime.mark(Rounding::Up).after(Millis::new(3));
    SystemTime.sleep_until(until).await;
    assert!(SystemTime.mark(Rounding::Down) >= until);
    SystemTime.sleep_until(Mark::new(0)).await;
}

/// tokio's paused clock jumps over every timer, as if it had fired at once.
#[tokio::test(start_paused = true)]
async fn a_timer_that_fires_too_soon_does_not_end_the_wait() {
    let until = SystemTime.mark(Rounding::Up).after(Millis::new(3));
    SystemTime.sleep_until(until).await;
    assert!(SystemTime.mark(Rounding::Down) >= until);
}

/// Of two hours, the paused clock jumps over no more than the pieces that fit.
#[tokio::test(start_paused = true)]
async fn a_long_wait_is_cut_into_pieces() {
    let until = SystemTime.mark(Rounding::Up).after(Millis::from_secs(7_200));
    let mut waiting = std::pin::pin!(SystemTime.sleep_until(until));
    let begun = tokio::time::Instant::now();
    std::future::poll_fn(|cx| {
        let _ = waiting.as_mut().poll(cx);
        match begun.elapsed() {
            Duration::ZERO => std::task::Poll::Pending,
            _ => std::task::Poll::Ready(()),
        }
    })
    .await;
    assert!(begun.elapsed() <= Duration::from_millis(15_001), "the first timer is one piece long");
}

#[tokio::test]
async fn never_is_a_mark_that_can_be_waited_for() {
    tokio::select! {
        () = SystemTime.sleep_until(Mark::MAX) => panic!("never came"),
        () = tokio::task::yield_now() => {}
    }
}

#[test]
fn the_clock_runs_and_the_wall_clock_is_of_this_century() {
    let (down, up) = (SystemTime.mark(Rounding::Down), SystemTime.mark(Rounding::Up));
    assert!(Mark::new(0) < down && down <= up);
    assert!(SystemTime.wall().is_some_and(|wall| wall.get() > 1_600_000_000_000));
}

#[test]
fn samples_and_first_sessions_differ() {
    let samples: Vec<_> = (0..4).map(|_| SystemEntropy.sample().expect("a system with entropy")).collect();
    assert!(samples.iter().any(|sample| *sample != samples[0]));
    let session = || SessionHandle::new().expect("a system with entropy").current();
    assert_ne!(session(), session());
}

#[test]
fn a_generation_is_never_used_twice() {
    let session = SessionHandle::new().expect("a system with entropy");
    let generations: std::collections::HashSet<_> = (0..1_000).map(|_| session.raise().get()).collect();
    assert_eq!(generations.len(), 1_000);
    assert_eq!(session.clone().raise(), session.current());
}
