//! What crosses to the window, as it is committed.

use std::fs;
use std::path::Path;

#[test]
fn the_committed_bindings_are_what_the_commands_and_events_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bindings.ts");
    rollcall_lib::bindings::export(&file).unwrap();
    let fresh = fs::read_to_string(&file).unwrap();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/bindings.ts");
    let committed = fs::read_to_string(committed).unwrap();
    // Not compared as a whole in the message: it would be thousands of lines.
    let differs = fresh.lines().zip(committed.lines()).find(|(a, b)| a != b);
    assert!(
        fresh == committed,
        "run `cargo xtask bindings` and commit `ui/src/bindings.ts`; the first line that differs: {differs:?}"
    );
}
