//! Every vector through the core, linked in.

mod vectors;

#[test]
fn every_vector_holds_natively() {
    vectors::check_all(&mut conformance::Native);
}
