//! Documents as their users meet them.

mod problems;
mod schema;
