//! Tests of the whole without a window and without a server: the shape of the code, and the back end as it is.
#![expect(clippy::unwrap_used, reason = "a failure in a test has to be loud")]

mod arranging;
mod bad_input;
mod documents;
mod edges;
mod first_roll_call;
mod sources;
mod tree;
