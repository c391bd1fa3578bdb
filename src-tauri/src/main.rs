//! Starts the window.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    rollcall_lib::run(std::env::args_os().skip(1))
}
