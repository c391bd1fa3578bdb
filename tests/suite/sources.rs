//! What the sources may and may not say.

use crate::tree::{files, lines_that, sources, text};

const PRODUCT: &[&str] = &[
    "src-tauri/src/",
    "src-tauri/crates/",
    "src-tauri/build.rs",
    "ui/src/",
];
const EVERYTHING: &[&str] = &["src-tauri/", "tests/", "ui/src/"];

/// Whether a line holds a statement that changes a database.
fn writes_sql(line: &str) -> bool {
    let words = line.to_uppercase();
    let begins =
        |verb: &str| words.contains(&format!("\"{verb}")) || words.trim_start().starts_with(verb);
    let verbs = [
        "INSERT INTO ",
        "INSERT OR ",
        "DELETE FROM ",
        "DROP TABLE ",
        "ALTER TABLE ",
        "CREATE TABLE ",
    ];
    verbs.into_iter().any(begins) || (begins("UPDATE ") && words.contains(" SET "))
}

#[test]
fn i15_only_the_registry_writes_sql() {
    let all = sources(EVERYTHING, &[".rs", ".ts", ".tsx", ".sh"]);
    let found = lines_that(&all, |file, line| {
        !file.starts_with("src-tauri/crates/registry/")
            && file != "tests/suite/sources.rs"
            // Breaks the statements of the registry, and runs none.
            && file != "src-tauri/xtask/src/mutants/list.rs"
            && writes_sql(line)
    });
    assert!(found.is_empty(), "{found:#?}");
    assert!(
        writes_sql(r#"sqlx::query("INSERT INTO hosts VALUES (1)")"#)
            && writes_sql("  DELETE FROM hosts")
    );
    assert!(writes_sql("UPDATE hosts SET label = ''") && !writes_sql("\"Update the server\""));
    let registry = sources(&["src-tauri/crates/registry/"], &[".rs"]);
    assert!(!lines_that(&registry, |_, line| writes_sql(line)).is_empty());
}

#[test]
fn processes_are_started_only_where_hosts_are_reached_and_where_a_person_opens_something() {
    let may = [
        "src-tauri/crates/collect/src/local.rs",
        "src-tauri/crates/collect/src/openssh.rs",
        "src-tauri/crates/api/src/launch.rs",
        "src-tauri/crates/collect/src/ssh/config.rs",
        "src-tauri/crates/collect/src/ssh/route.rs",
        "src-tauri/crates/collect/benches/",
        "src-tauri/crates/collect/tests/",
        "src-tauri/crates/registry/tests/",
        "src-tauri/crates/testkit/",
        "src-tauri/xtask/",
    ];
    let starts = |line: &str| line.contains("Command::new(") || line.contains("process::Command");
    let all: Vec<_> = sources(PRODUCT, &[".rs"])
        .into_iter()
        .map(|(file, text)| (file, without_tests(&text).to_owned()))
        .collect();
    let found = lines_that(&all, |file, line| {
        !may.iter().any(|it| file.starts_with(it)) && starts(line)
    });
    assert!(found.is_empty(), "{found:#?}");
    assert!(
        all.iter()
            .any(|(file, text)| file == may[0] && text.lines().any(starts))
    );
}

/// What a script does to files of a host that takes something away or puts something in its place.
fn changes_files(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with('#')
        && [
            "rm ", "rmdir ", "mv ", "mkdir ", "ln ", "cp ", "touch ", "chmod ",
        ]
        .iter()
        .any(|verb| {
            line.starts_with(verb)
                || line.contains(&format!("$({verb}"))
                || line.contains(&format!("; then {verb}"))
                || line.contains(&format!("do {verb}"))
        })
}

#[test]
fn i20_rc02_rc32_only_guarded_verbs_change_files_of_a_host() {
    let scripts = sources(&["src-tauri/crates/collect/src/scripts/"], &[".sh"]);
    let verbs = ["trash.sh", "remove.sh", "verbs.sh"];
    let found = lines_that(&scripts, |file, line| {
        !verbs.iter().any(|it| file.ends_with(it)) && changes_files(line)
    });
    assert!(found.is_empty(), "{found:#?}");
    assert!(
        scripts
            .iter()
            .any(|(file, text)| { file.ends_with("trash.sh") && text.lines().any(changes_files) })
    );
    // Each has one caller: removing and undoing what a person decided, and emptying what a person emptied or has expired.
    let all = sources(
        &[
            "src-tauri/crates/api/src/",
            "src-tauri/crates/supervise/src/",
            "src-tauri/src/",
        ],
        &[".rs"],
    );
    for (verb, callers) in [
        (".remove(host, &removal", 1),
        (".undo(&host, &removal", 1),
        (".empty(&host,", 2),
    ] {
        let calls: usize = all
            .iter()
            .map(|(_, text)| {
                let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
                text.replace(" .", ".").matches(verb).count()
            })
            .sum();
        assert_eq!(calls, callers, "{verb}");
    }
}

#[test]
fn no_test_is_ignored_and_nothing_is_unsafe() {
    let all = sources(EVERYTHING, &[".rs", ".ts", ".tsx"]);
    let words = [
        "#[ignore",
        "it.skip",
        "it.only",
        "describe.skip",
        "describe.only",
        "test.skip",
        "test.only",
        "unsafe {",
    ];
    let found = lines_that(&all, |file, line| {
        file != "tests/suite/sources.rs" && words.iter().any(|word| line.contains(word))
    });
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_one_file_of_the_window_talks_to_the_shell() {
    let found = lines_that(&sources(&["ui/src/"], &[".ts", ".tsx"]), |file, line| {
        line.contains("@tauri-apps")
            && !file.ends_with(".test.ts")
            && !["ui/src/backend/tauri.ts", "ui/src/bindings.ts"].contains(&file)
    });
    assert!(found.is_empty(), "{found:#?}");
    assert!(text("ui/src/bindings.ts").contains("@tauri-apps"));
}

/// Words between two marks, each with what stands around it taken away.
fn list(text: &str, from: &str, to: &str) -> Vec<String> {
    let after = text.split(from).nth(1).unwrap();
    let inner = after.split(to).next().unwrap();
    let mut names: Vec<String> = inner
        .split(',')
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort();
    names
}

#[test]
fn the_three_lists_of_commands_agree() {
    let declared = list(&text("src-tauri/build.rs"), "COMMANDS: &[&str] = &[", "];");
    let typed: Vec<String> = list(
        &text("src-tauri/src/bindings.rs"),
        "collect_commands![",
        "])",
    )
    .iter()
    .map(|name| {
        name.trim_start_matches("commands::")
            .split("::<")
            .next()
            .unwrap()
            .to_owned()
    })
    .collect();
    let allowed: Vec<String> = list(
        &text("src-tauri/capabilities/main.json"),
        "\"permissions\": [",
        "]",
    )
    .iter()
    .filter_map(|name| {
        name.strip_prefix("allow-")
            .map(|name| name.replace('-', "_"))
    })
    .collect();
    assert!(declared.len() > 10);
    assert_eq!(declared, typed);
    assert_eq!(declared, allowed);
}

/// A source file without the tests at its end.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
}

/// Lines of a source file before its tests.
fn length(text: &str) -> usize {
    without_tests(text).lines().count()
}

#[test]
fn no_source_file_is_too_long_to_read() {
    let mut long = Vec::new();
    let mut shell = 0;
    for (file, text) in sources(PRODUCT, &[".rs", ".ts", ".tsx", ".sh"]) {
        let is_shell = file.starts_with("src-tauri/src/");
        let is_test = file.contains("/tests") || file.contains(".test.");
        let most = match () {
            () if is_test || file == "ui/src/bindings.ts" => continue,
            () if is_shell => 200,
            () => 1_100,
        };
        let lines = length(&text);
        shell += if is_shell { lines } else { 0 };
        if lines > most {
            long.push(format!("{file}: {lines} lines, at most {most}"));
        }
    }
    assert!(long.is_empty(), "{long:#?}");
    assert!(
        shell < 900,
        "the shell decides nothing and has {shell} lines"
    );
    assert_eq!(length("one\n\n#[cfg(test)]\nmod tests {\n"), 1);
}

#[test]
fn the_top_level_holds_only_what_the_design_names() {
    let allowed = [
        ".cargo",
        ".ci",
        ".clippy.toml",
        ".gitignore",
        ".rustfmt.toml",
        "Cargo.lock",
        "Cargo.toml",
        "README.md",
        "docs",
        "icons",
        "migrations",
        "src-tauri",
        "tests",
        "ui",
    ];
    let mut found: Vec<String> = files()
        .iter()
        .map(|file| file.split('/').next().unwrap().to_owned())
        .filter(|name| !allowed.contains(&name.as_str()))
        .collect();
    found.dedup();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn every_layer_of_tests_is_run_by_the_test_command() {
    let layers = text("src-tauri/xtask/src/layers.rs");
    for name in ["suite", "faults", "contract", "live", "bindings", "window"] {
        assert!(layers.contains(&format!("\"{name}\"")), "{name}");
    }
    assert!(text(".ci/run").contains("cargo xtask test"));
}
