//! What one call costs.
fn main() {}
