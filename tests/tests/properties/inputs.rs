//! Single calls: values, requests, events, states and moments, possible and impossible.

use policy_core::{
    Attempt, FIELD_MAX, FailureKind, IdempotencyKey, Limits, Mark, Method, Millis, Network, Now, Request, Sample,
    Session, Tokens, UnixMillis,
};
use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::policies::STATUSES;

/// 2026-01-01T00:00:00Z.
pub(crate) const WALL: u64 = 1_767_225_600_000;

/// A field value: digits, dates, lists, each perhaps damaged, or any bytes.
pub(crate) fn value() -> impl Strategy<Value = Vec<u8>> {
    let damaged = (prop_oneof![digits(), date(), list()], vec(damage(), 0..3)).prop_map(|(mut value, damages)| {
        damages.into_iter().for_each(|damage| damage.apply(&mut value));
        value
    });
    let verdict = select(vec!["true", "false", "TRUE", "true, true", "false,false", "true, false"]);
    let verdict = verdict.prop_map(|text| text.as_bytes().to_vec());
    prop_oneof![6 => damaged, 1 => verdict, 1 => vec(any::<u8>(), 0..40), 1 => vec(any::<u8>(), FIELD_MAX - 2..=FIELD_MAX)]
}

fn digits() -> BoxedStrategy<Vec<u8>> {
    prop_oneof![
        3 => (0..200_u64).prop_map(|seconds| seconds.to_string().into_bytes()),
        2 => any::<u64>().prop_map(|seconds| seconds.to_string().into_bytes()),
        1 => "[ \t]{0,2}[+-]?[0-9]{0,25}\\.?[0-9]{0,3}[ \t]{0,2}".prop_map(String::into_bytes)
    ]
    .boxed()
}

/// All three forms, of moments near and far.
fn date() -> BoxedStrategy<Vec<u8>> {
    let near = WALL / 1_000 - 100..WALL / 1_000 + 100;
    let moment = prop_oneof![near, 0..253_402_300_800_u64];
    let imf = moment.prop_map(|unix| {
        let moment = std::time::UNIX_EPOCH + std::time::Duration::from_secs(unix);
        httpdate::fmt_http_date(moment).into_bytes()
    });
    let fields = "(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-3][0-9] (Jan|Feb|Jun|Dec) (19|20)[0-9]{2} [0-2][0-9]:[0-6][0-9]:[0-6][0-9] GMT";
    let rfc850 = "(Mon|Wednes|Thurs|Sun)day, [0-3][0-9]-(Jan|Feb|Nov)-[0-9]{2} [0-2][0-9]:[0-6][0-9]:[0-6][0-9] GMT";
    let asctime = "(Mon|Wed|Thu|Sun) (Jan|Feb|Nov) [ 0-3][0-9] [0-2][0-9]:[0-6][0-9]:[0-6][0-9] (19|20)[0-9]{2}";
    let valid = [
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sat, 31 Dec 2016 23:59:60 GMT",
        "Sun, 31 Dec 1899 23:59:59 GMT",
    ];
    prop_oneof![
        3 => imf,
        1 => fields.prop_map(String::into_bytes),
        1 => rfc850.prop_map(String::into_bytes),
        1 => asctime.prop_map(String::into_bytes),
        1 => select(valid.to_vec()).prop_map(|text| text.as_bytes().to_vec())
    ]
    .boxed()
}

fn list() -> BoxedStrategy<Vec<u8>> {
    let equal =
        (prop_oneof![digits(), date()], 2..4_usize).prop_map(|(value, times)| vec![value; times].join(&b", "[..]));
    let unequal = vec(prop_oneof![digits(), date()], 2..4).prop_map(|values| values.join(&b","[..]));
    prop_oneof![equal, unequal].boxed()
}

#[derive(Clone, Debug)]
enum Damage {
    Replace(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = || prop_oneof![select(&b" \t,:-+.0129aGMT\0\xa0"[..]), any::<u8>()];
    prop_oneof![
        (any::<prop::sample::Index>(), byte()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        (any::<prop::sample::Index>(), byte()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        any::<prop::sample::Index>().prop_map(Damage::Remove)
    ]
}

impl Damage {
    fn apply(self, value: &mut Vec<u8>) {
        match self {
            Self::Insert(at, byte) => value.insert(at.index(value.len() + 1), byte),
            _ if value.is_empty() => {}
            Self::Replace(at, byte) => {
                let at = at.index(value.len());
                value[at] = byte;
            }
            Self::Remove(at) => drop(value.remove(at.index(value.len()))),
        }
    }
}

pub(crate) fn request() -> impl Strategy<Value = Request> {
    let keys = [IdempotencyKey::Absent, IdempotencyKey::Sent, IdempotencyKey::Honoured];
    let used = prop_oneof![8 => 0..3_u32, 1 => any::<u32>()];
    let not_before = option::weighted(0.2, mark());
    (select(&Method::ALL[..]), select(keys.to_vec()), prop::bool::weighted(0.9), limits(), used, not_before).prop_map(
        |(method, key, replayable, limits, attempts_used, not_before)| Request {
            method,
            key,
            replayable,
            limits,
            attempts_used,
            not_before,
        },
    )
}

fn limits() -> impl Strategy<Value = Limits> {
    let span = || option::weighted(0.3, prop_oneof![0..200_000_u64, any::<u64>()].prop_map(Millis::new));
    (option::weighted(0.3, 0..9_u32), span(), span()).prop_map(|(max_attempts, deadline, max_wait)| Limits {
        max_attempts,
        deadline,
        max_wait,
    })
}

pub(crate) fn now() -> impl Strategy<Value = Now> {
    let outside = (session(), prop::bool::weighted(0.05), network(), option::weighted(0.2, mark()));
    (mark(), wall(), outside, sample(), 0..700_000_u32).prop_map(|(mark, wall, outside, sample, tokens)| {
        let (session, cancelled, network, hold) = outside;
        Now { mark, wall, session, cancelled, network, sample, tokens: Tokens::from_thousandths(tokens), hold }
    })
}

fn mark() -> impl Strategy<Value = Mark> {
    let edge = Mark::MAX.get();
    prop_oneof![8 => 0..300_000_u64, 1 => edge - 2..edge + 3, 1 => any::<u64>()].prop_map(Mark::new)
}

pub(crate) fn wall() -> impl Strategy<Value = Option<UnixMillis>> {
    option::of(prop_oneof![8 => WALL - 5_000..WALL + 5_000, 1 => any::<u64>()].prop_map(UnixMillis::new))
}

fn session() -> impl Strategy<Value = Session> {
    prop_oneof![20 => Just(1), 1 => any::<u64>()].prop_map(Session::new)
}

pub(crate) fn network() -> impl Strategy<Value = Network> {
    select(&[Network::Unknown, Network::Up, Network::Down][..])
}

pub(crate) fn sample() -> impl Strategy<Value = Sample> {
    prop_oneof![1 => Just(0), 1 => Just(u32::MAX), 6 => any::<u32>()].prop_map(Sample::new)
}

/// An event that owns its fields.
#[derive(Clone, Debug)]
pub(crate) enum Heard {
    Response { status: u16, fields: Vec<(u8, Vec<u8>)> },
    Failure { kind: FailureKind, timed_out: bool },
    Wake,
}

/// Anything that a host may report.
pub(crate) fn heard() -> impl Strategy<Value = Heard> {
    let status = prop_oneof![8 => select(&STATUSES[..]), 1 => any::<u16>()];
    let fields = prop_oneof![
        16 => option::of((Just(0_u8), value())).prop_map(|field| field.into_iter().collect()),
        1 => vec((0..4_u8, value()), 0..4),
        1 => vec((0..20_u8, vec(any::<u8>(), 0..4)), 0..19)
    ];
    prop_oneof![
        6 => (status, fields).prop_map(|(status, fields)| Heard::Response { status, fields }),
        3 => (select(&FailureKind::ALL[..]), any::<bool>()).prop_map(|(kind, timed_out)| Heard::Failure { kind, timed_out }),
        2 => Just(Heard::Wake)
    ]
}

pub(crate) fn attempt(number: impl Strategy<Value = u32>) -> impl Strategy<Value = Attempt> {
    let sends = prop_oneof![12 => Just(1), 2 => 0..4_u32, 1 => any::<u32>()];
    (number, sends, prop::bool::weighted(0.05)).prop_map(|(number, sends, exhausted)| Attempt {
        number,
        sends,
        exhausted,
    })
}
