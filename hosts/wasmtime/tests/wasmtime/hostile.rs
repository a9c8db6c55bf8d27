//! Lists of any length: answered as the core answers, or refused; and the engine goes on.

use policy_core::{Attempt, Event, Field, Method, Request, Rules};
use refrain::{DirectEngine, Engine, State};
use refrain_wasmtime::WasmtimeEngine;

use crate::{NOW, real};

/// Bytes of a value, and whether there must be an answer.
const LENGTHS: [(usize, bool); 5] = [(0, true), (1_023, true), (1_024, true), (40_000, false), (10_000_000, false)];

/// A component, and the core beside it, with a request in flight.
struct Both {
    engine: WasmtimeEngine,
    direct: DirectEngine,
    state: State,
}

impl Both {
    fn new() -> Self {
        let (engine, direct) = real::engines(Rules::DEFAULT);
        let state = direct.start(&Request::new(Method::Get), &NOW).unwrap().state;
        Self { engine, direct, state }
    }

    /// Compares the answers to a response with these fields; without `must_answer`, the component may refuse.
    fn respond(&self, fields: &[Field<'_>], must_answer: bool) {
        let event = Event::Response { of: Attempt::single(1), status: 503, fields };
        let expected = self.direct.handle(&self.state, event, &NOW);
        let answer = self.engine.handle(&self.state, event, &NOW);
        assert!(answer == expected || (!must_answer && answer.is_err()), "{} fields: {answer:?}", fields.len());
    }

    fn still_works(&self) {
        self.respond(&[Field { index: 0, value: b"2" }], true);
    }
}

#[test]
fn a_field_value_of_any_length_leaves_the_engine_usable() {
    let both = Both::new();
    for (len, must_answer) in LENGTHS {
        for byte in [b'1', b',', b' ', 0xff] {
            both.respond(&[Field { index: 0, value: &vec![byte; len] }], must_answer);
            both.still_works();
        }
    }
}

#[test]
fn a_value_of_any_length_can_be_given_to_parse() {
    let both = Both::new();
    for (len, must_answer) in LENGTHS {
        let value = vec![b'1'; len];
        let (answer, expected) = (both.engine.parse(&value, None), both.direct.parse(&value, None));
        assert!(answer == expected || (!must_answer && answer.is_err()), "{len} bytes: {answer:?}");
        assert_eq!(both.engine.parse(b"2", None), both.direct.parse(b"2", None));
        both.still_works();
    }
}

#[test]
fn any_number_of_fields_leaves_the_engine_usable() {
    let both = Both::new();
    let value = [b'1'; 1_023];
    for (count, must_answer) in [(0, true), (1, true), (16, false), (17, false), (1_000, false), (100_000, false)] {
        for value in [&b""[..], b"2", &value] {
            both.respond(&vec![Field { index: 0, value }; count], must_answer);
            both.still_works();
        }
    }
}

/// Every way to begin a list element that takes the parser furthest.
#[test]
fn the_slowest_value_stays_within_the_fuel() {
    let both = Both::new();
    let date = "Sun, 06 Nov 1994 08:49:37 GMT,";
    for element in ["1,", "9,", "99999999999999999999,", date, "Sunday, 06-Nov-94 08:49:37 GMT,", " ", "\t,"] {
        let value = element.repeat(1_023 / element.len());
        both.respond(&[Field { index: 0, value: value.trim_end_matches(',').as_bytes() }], true);
    }
}
