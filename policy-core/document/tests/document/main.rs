//! Documents as their users meet them.

mod schema;
