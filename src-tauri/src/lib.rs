//! The shell of Rollcall: window and command adapters. Decides nothing.

pub mod bindings;
mod commands;
mod events;
