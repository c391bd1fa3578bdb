//! Writes the bindings to the file it is given; `cargo xtask bindings` runs it.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os()
        .nth(1)
        .map(PathBuf::from)
        .ok_or("usage: bindings FILE")?;
    rollcall_lib::bindings::export(&file)?;
    Ok(())
}
