//! Every vector through the component, in wasmtime.

mod vectors;

#[test]
fn every_vector_holds_in_the_component() {
    vectors::check_all(&mut conformance::Component::find().unwrap_or_else(|error| panic!("{error}")));
}
