//! How fast the real window is with many rows. Prints one line per figure, its parts separated by tabs: name, rows, the
//! figure's milliseconds, no floor, and a count where the figure is one. `cargo xtask bench` reads them, and gives it a display.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a failure of a measurement has to be loud, and its figures are printed"
)]

use std::fs;
use std::path::Path;

use rollcall_tests::driver::{Paths, Window};
use rollcall_tests::stage::Stage;
use serde_json::Value;

/// Turns of each figure.
const TURNS: usize = 5;
/// Workspaces besides their repository.
const ROWS: usize = 10_000;

/// In one second, in what the kernel says of processes.
const TICKS: f64 = 100.0;

/// What was measured in the page, in milliseconds.
fn number(value: &Value) -> f64 {
    value.as_f64().expect("the page measured something")
}

/// When the process with a command line began, in milliseconds since the epoch.
fn begun(data: &Path) -> f64 {
    let uptime = fs::read_to_string("/proc/uptime").unwrap();
    let since: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
    let data = data.to_str().unwrap();
    let ticks = fs::read_dir("/proc")
        .unwrap()
        .find_map(|entry| {
            let folder = entry.ok()?.path();
            let line = fs::read_to_string(folder.join("cmdline")).ok()?;
            let ours = line.contains(data) && line.split('\0').next()?.ends_with("/rollcall");
            let stat = ours.then(|| fs::read_to_string(folder.join("stat")).ok())??;
            let rest = stat.rsplit_once(") ")?.1;
            rest.split(' ').nth(19)?.parse::<f64>().ok()
        })
        .expect("the application runs");
    let age = since - ticks / TICKS;
    jiff::Timestamp::now().as_duration().as_secs_f64() * 1000.0 - age * 1000.0
}

/// Milliseconds from the start of the process until the list could be used, and until it had every row.
async fn started(stage: &Stage) -> (Window, f64, f64) {
    let window = Window::start(&Paths::find(), &stage.arguments()).await;
    let marks = "const at = (name) => performance.getEntriesByName(name)[0]; \
         return at('rollcall:all') && [at('rollcall:first'), at('rollcall:all')].map((it) => performance.timeOrigin + it.startTime)";
    let marks = window.until("every row", marks).await;
    let begun = begun(&stage.data());
    (window, number(&marks[0]) - begun, number(&marks[1]) - begun)
}

#[tokio::main]
async fn main() {
    let stage = Stage::new();
    stage.crowded(ROWS).await;
    let (mut first, mut all) = (f64::MAX, f64::MAX);
    for _ in 0..TURNS {
        let (window, usable, complete) = started(&stage).await;
        (first, all) = (first.min(usable), all.min(complete));
        window.close().await;
    }
    println!("window usable after start\t{ROWS}\t{first:.3}\t\t");
    println!("window with every row after start\t{ROWS}\t{all:.3}\t\t");

    let (window, ..) = started(&stage).await;
    window.resize(1180, 760).await;
    // From the keystroke until what it found is painted: a task that is queued in a frame runs after the frame.
    let typed = "const done = arguments[0]; (async () => { \
         const field = document.querySelector('input[role=searchbox]'); field.focus(); \
         const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set; \
         const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))); \
         const took = []; let text = ''; \
         for (const letter of 'c0123 tree') { \
           await painted(); await painted(); \
           text += letter; const begun = performance.now(); \
           set.call(field, text); field.dispatchEvent(new Event('input', { bubbles: true })); \
           await painted(); took.push(performance.now() - begun); \
         } \
         took.sort((a, b) => a - b); \
         const floor = []; \
         for (let at = 0; at < 9; at += 1) { \
           const begun = performance.now(); \
           document.querySelector('main').style.opacity = at % 2 ? '0.99' : '1'; \
           await painted(); floor.push(performance.now() - begun); \
         } \
         floor.sort((a, b) => a - b); \
         return [took[took.length >> 1], took.at(-1), floor[floor.length >> 1]]; })().then(done, (error) => done(String(error)))";
    let mut least = [f64::MAX; 3];
    for _ in 0..TURNS {
        let took = window.script_later(typed).await;
        for (at, least) in least.iter_mut().enumerate() {
            *least = least.min(number(&took[at]));
        }
        window.press("Clear").await;
    }
    let [middle, slowest, floor] = least;
    println!("keystroke of a search to paint, the median\t{ROWS}\t{middle:.3}\t{floor:.3}\t");
    println!(
        "keystroke of a search to paint, the slowest of ten\t{ROWS}\t{slowest:.3}\t{floor:.3}\t"
    );

    let scrolled = "const done = arguments[0]; (async () => { \
         const grid = document.querySelector('[role=treegrid]'); \
         const scroller = grid.querySelector('[role=presentation]'); \
         const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))); \
         let most = 0; const took = []; \
         for (let at = 0; at < 60; at += 1) { \
           const begun = performance.now(); \
           scroller.scrollTop += 200; await painted(); took.push(performance.now() - begun); \
           most = Math.max(most, grid.querySelectorAll('[role=row]').length); \
         } \
         took.sort((a, b) => a - b); \
         return [took[took.length >> 1], most]; })().then(done, (error) => done(String(error)))";
    let frame = window.script_later(scrolled).await;
    println!(
        "frame while scrolling, the median\t{ROWS}\t{:.3}\t\t{}",
        number(&frame[0]),
        frame[1]
    );
    window.close().await;
}
