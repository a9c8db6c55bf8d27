//! What contradicts itself in a document that can be read.

use crate::{draft::Draft, problem::Problem};

/// All that is found, errors and warnings.
pub(crate) fn all(_draft: &Draft) -> Vec<Problem> {
    Vec::new()
}
