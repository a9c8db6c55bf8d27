//! Requests that go on later, here or in another process.

mod bench;
mod loopback;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Arc, Mutex};

use bench::{RULES, engine, join, soon};
use loopback::{Act, BUSY, Server};
use refrain::core::{Bound, End, Limits, Mark, Method, Millis, Request, Resume, Sample, UnixMillis};
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::{
    Client, DeferralQueue, DeferralStorage, DirectEngine, Key, MemoryStorage, PushError, Reason, Saved, SessionHandle,
    Ticket,
};

const TWO_SENDS: Limits = Limits { max_attempts: Some(2), ..Limits::NONE };
const NOON: UnixMillis = UnixMillis::new(1_700_000_000_000);

fn saved(delay: u64, payload: &'static str) -> Saved<Text> {
    let resume = Resume { delay: Millis::new(delay), not_before: None, attempts_used: 1 };
    Saved { resume, key: None, payload: Text(payload) }
}

/// How the caller makes the request again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Text(&'static str);

/// Keeps entries where a test, and a second queue, can see them; fails when told to.
#[derive(Clone, Debug, Default)]
struct Disk(Arc<Mutex<DiskState>>);

#[derive(Debug, Default)]
struct DiskState {
    entries: BTreeMap<Ticket, Saved<Text>>,
    is_broken: bool,
}

impl Disk {
    fn kept(&self) -> Vec<&'static str> {
        self.0.lock().expect("no panic").entries.values().map(|saved| saved.payload.0).collect()
    }

    fn change<O>(&self, change: impl FnOnce(&mut DiskState) -> O) -> Result<O, std::io::Error> {
        let mut state = self.0.lock().expect("no panic");
        if state.is_broken { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(change(&mut state)) }
    }
}

impl DeferralStorage<Text> for Disk {
    type Error = std::io::Error;

    fn put(&mut self, ticket: Ticket, saved: &Saved<Text>) -> Result<(), std::io::Error> {
        self.change(|state| drop(state.entries.insert(ticket, saved.clone())))
    }

    fn remove(&mut self, ticket: Ticket) -> Result<(), std::io::Error> {
        self.change(|state| drop(state.entries.remove(&ticket)))
    }

    fn load(&mut self) -> Result<Vec<(Ticket, Saved<Text>)>, std::io::Error> {
        self.change(|state| state.entries.iter().map(|(ticket, saved)| (*ticket, saved.clone())).collect())
    }
}

fn queue(time: &TestTime) -> DeferralQueue<Text> {
    DeferralQueue::load(3, MemoryStorage, None, time).expect("nothing to load")
}

#[tokio::test]
async fn the_earliest_is_handed_out_first_and_none_before_its_time() {
    let time = TestTime::default();
    let queue = queue(&time);
    for (delay, payload) in [(9_000, "late"), (2_000, "early"), (2_000, "early too")] {
        queue.push(saved(delay, payload), &time).expect("room");
    }
    let (waiting, clock) = (queue.clone(), time.clone());
    let handed_out = tokio::spawn(async move {
        let mut handed_out = Vec::new();
        for _ in 0..3 {
            let due = waiting.next(&clock).await.expect("memory");
            handed_out.push((due.saved.payload.0, refrain::Time::mark(&clock, refrain::Rounding::Down).get()));
        }
        handed_out
    });
    for mark in [2_001, 9_001] {
        assert_eq!(soon(time.wait_entered()).await, Mark::new(mark), "a millisecond is added");
        time.set_mark(Mark::new(mark - 1));
        tokio::task::yield_now().await;
        time.set_mark(Mark::new(mark));
    }
    assert_eq!(join(handed_out).await, [("early", 2_001), ("early too", 2_001), ("late", 9_001)]);
    assert_eq!(queue.len(), 3, "until they are done");
}

#[tokio::test]
async fn an_entry_that_is_due_earlier_is_not_overslept() {
    let time = TestTime::default();
    let queue = queue(&time);
    queue.push(saved(60_000, "late"), &time).expect("room");
    let (waiting, clock) = (queue.clone(), time.clone());
    let next = tokio::spawn(async move { waiting.next(&clock).await.expect("memory").saved.payload.0 });
    assert_eq!(soon(time.wait_entered()).await, Mark::new(60_001));
    queue.push(saved(1_000, "early"), &time).expect("room");
    assert_eq!(soon(time.wait_entered()).await, Mark::new(1_001));
    time.set_mark(Mark::new(1_001));
    assert_eq!(join(next).await, "early");
}

#[tokio::test]
async fn a_full_queue_gives_the_entry_back_until_one_is_done() {
    let time = TestTime::default();
    let queue = queue(&time);
    for _ in 0..3 {
        queue.push(saved(0, "one of three"), &time).expect("room");
    }
    time.advance(Millis::new(1));
    let due = queue.next(&time).await.expect("memory");
    assert_eq!(queue.push(saved(0, "too many"), &time), Err(PushError::Full(saved(0, "too many"))));
    queue.done(due.ticket).expect("memory");
    queue.push(saved(0, "in time"), &time).expect("room");
}

#[tokio::test]
async fn a_cancelled_entry_is_not_handed_out() {
    let time = TestTime::default();
    let queue = queue(&time);
    let cancelled = queue.push(saved(0, "cancelled"), &time).expect("room");
    queue.push(saved(0, "kept"), &time).expect("room");
    assert_eq!(queue.cancel(cancelled), Ok(Some(saved(0, "cancelled"))));
    assert_eq!(queue.cancel(cancelled), Ok(None));
    time.advance(Millis::new(1));
    let due = queue.next(&time).await.expect("memory");
    assert_eq!((due.saved.payload.0, queue.cancel(due.ticket)), ("kept", Ok(None)));
    assert!(queue.is_empty());
}

#[tokio::test]
async fn another_session_purges_the_queue_and_its_storage_at_once() {
    let (time, disk, session) = (TestTime::default(), Disk::default(), SessionHandle::new().expect("entropy"));
    let queue = DeferralQueue::load(9, disk.clone(), Some(session.clone()), &time).expect("a disk");
    queue.push(saved(1_000, "of the old session"), &time).expect("room");
    let (waiting, clock) = (queue.clone(), time.clone());
    let next = tokio::spawn(async move { waiting.next(&clock).await.expect("a disk").saved.payload.0 });
    assert_eq!(soon(time.wait_entered()).await, Mark::new(1_001));
    session.raise();
    assert_eq!(soon(time.wait_entered()).await, Mark::MAX, "nothing to wait for");
    assert!(disk.kept().is_empty() && queue.is_empty());
    queue.push(saved(1_000, "of the new one"), &time).expect("room");
    soon(time.wait_entered()).await;
    time.set_mark(Mark::new(1_001));
    assert_eq!(join(next).await, "of the new one");
}

#[tokio::test]
async fn a_purge_leaves_nothing() {
    let (time, disk) = (TestTime::default(), Disk::default());
    let queue = DeferralQueue::load(9, disk.clone(), None, &time).expect("a disk");
    queue.push(saved(0, "a"), &time).expect("room");
    queue.push(saved(0, "b"), &time).expect("room");
    time.advance(Millis::new(1));
    queue.next(&time).await.expect("a disk");
    queue.purge().expect("a disk");
    assert!(disk.kept().is_empty() && queue.is_empty());
}

#[tokio::test]
async fn what_could_not_be_stored_is_not_in_the_queue() {
    let (time, disk) = (TestTime::default(), Disk::default());
    let queue = DeferralQueue::load(9, disk.clone(), None, &time).expect("a disk");
    disk.0.lock().expect("no panic").is_broken = true;
    assert!(matches!(queue.push(saved(0, "lost"), &time), Err(PushError::Storage(_))));
    assert!(queue.is_empty());
    assert!(DeferralQueue::load(9, disk, None, &time).is_err());
}

#[tokio::test]
async fn entries_of_another_process_are_due_by_the_wall_clock_once() {
    let disk = Disk::default();
    let before = TestTime::default();
    let queue = DeferralQueue::load(9, disk.clone(), None, &before).expect("a disk");
    for (delay, payload) in [(90_000, "late"), (30_000, "early")] {
        let not_before = Some(NOON.after(Millis::new(delay)));
        let resume = Resume { delay: Millis::new(delay), not_before, attempts_used: 1 };
        queue.push(Saved { resume, key: None, payload: Text(payload) }, &before).expect("room");
    }
    drop(queue);

    let time = TestTime::default();
    time.set_mark(Mark::new(7));
    time.set_wall(Some(NOON.after(Millis::new(20_000))));
    let queue = DeferralQueue::load(1, disk.clone(), None, &time).expect("a disk");
    assert_eq!(queue.len(), 2, "none is lost to a smaller capacity");
    time.set_wall(Some(UnixMillis::new(0)));
    let clock = time.clone();
    let waiting = queue.clone();
    let next = tokio::spawn(async move { waiting.next(&clock).await.expect("a disk") });
    assert_eq!(soon(time.wait_entered()).await, Mark::new(7 + 10_001));
    time.set_mark(Mark::new(7 + 10_001));
    let due = join(next).await;
    assert_eq!(due.saved.payload.0, "early");
    assert_eq!(disk.kept(), ["late", "early"], "until it is done, so that no crash loses it");
    queue.done(due.ticket).expect("a disk");
    assert_eq!(disk.kept(), ["late"]);
}

#[test]
fn a_saved_request_holds_four_numbers_and_what_the_caller_adds() {
    let resume = Resume { delay: Millis::new(90_000), not_before: Some(NOON), attempts_used: 2 };
    let saved = Saved { resume, key: Some("k-1".parse::<Key>().expect("a key")), payload: () };
    let text = serde_json::to_string(&saved).expect("JSON");
    let expected = r#"{"delay_ms":90000,"not_before_ms":1700000000000,"attempts_used":2,"key":"k-1","payload":null}"#;
    assert_eq!(text, expected);
    assert_eq!(serde_json::from_str::<Saved>(&text).expect("what was written"), saved);
    let refused = serde_json::from_str::<Saved>(&text.replace("k-1", "k 1")).expect_err("no key").to_string();
    assert!(refused.starts_with("expected an idempotency key of visible ASCII characters"), "{refused}");
    let request = saved.join(&Request::new(Method::Get), &TestTime::default());
    assert_eq!((request.attempts_used, request.not_before), (2, Some(Mark::new(90_001))));
}

#[tokio::test]
async fn a_request_goes_on_in_another_process_with_its_count() {
    const TOLD_90_S: Act = Act::Say("HTTP/1.1 503 Busy\r\nretry-after: 90\r\ncontent-length: 0\r\n\r\n");
    let server = Server::start(&[TOLD_90_S, BUSY]).await;
    let (first, time) = client();
    time.set_wall(Some(NOON));
    let key = Key::random().expect("entropy");
    let deferred =
        first.post(&server.url).body("order=1").key(key.clone()).limits(TWO_SENDS).send().await.expect_err("later");
    assert_eq!(deferred.reason(), Some(&Reason::Policy(End::Deferred)));
    let resume = deferred.resume().expect("something to go on with");
    let text = serde_json::to_string(&Saved { resume, key: Some(key), payload: "order=1".to_owned() }).expect("JSON");
    drop(first);

    let mut other = Command::new(std::env::current_exe().expect("this test's own file"));
    other.args(["--exact", "second_half", "--ignored", "--nocapture"]);
    other.env("REFRAIN_SAVED", text).env("REFRAIN_URL", &server.url);
    let output = join(tokio::task::spawn_blocking(move || other.output())).await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0], requests[1], "the same request under the same key");
}

#[tokio::test]
#[ignore = "the second half of `a_request_goes_on_in_another_process_with_its_count`, which starts it"]
async fn second_half() {
    let variable = |name| std::env::var(name).expect("what the first half says");
    let saved: Saved<String> = serde_json::from_str(&variable("REFRAIN_SAVED")).expect("what was written");
    let (client, time) = client();
    time.set_mark(Mark::new(5));
    time.set_wall(Some(NOON.after(Millis::new(60_000))));
    let url = variable("REFRAIN_URL");
    let running = tokio::spawn(async move {
        let request = client.post(&url).body(saved.payload).key(saved.key.expect("a key"));
        request.limits(TWO_SENDS).resume(saved.resume).send().await
    });
    assert_eq!(soon(time.wait_entered()).await, Mark::new(5 + 30_001));
    time.set_mark(Mark::new(5 + 30_001));
    let used = join(running).await.expect_err("no success");
    assert_eq!((used.reason(), used.attempts()), (Some(&Reason::Policy(End::AttemptsUsed)), 2));
    assert_eq!(used.ended().map(|ended| ended.bound), Some(Bound::Attempts));
}

fn client() -> (Client<DirectEngine, TestTime, ScriptedEntropy>, TestTime) {
    let time = TestTime::default();
    let builder = Client::builder(engine(RULES)).time(time.clone()).entropy(ScriptedEntropy::new(Sample::ONE));
    (builder.http(reqwest::Client::builder().no_proxy()).build().expect("a client"), time)
}
