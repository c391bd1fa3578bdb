//! What the documents say and where they lead.

use crate::tree::{files, lines_that, root, sources};

/// Targets of the links and pictures of a Markdown line that lead into the project.
fn links(line: &str) -> Vec<&str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for (file, text) in sources(&["README.md", "docs/"], &[".md"]) {
        let folder = root().join(&file).parent().unwrap().to_owned();
        for target in text.lines().flat_map(links) {
            if !folder.join(target).exists() {
                broken.push(format!("{file}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert_eq!(
        links("see [a](b.md#c) and ![d](e.png), not [f](https://example.org)"),
        ["b.md", "e.png"]
    );
}

/// Whether a line names a place that only somebody's machine has.
fn names_a_machine(line: &str) -> bool {
    // In parts, so that this file does not name them.
    let hosts = [
        ["registry", ".npmjs"],
        ["index.crates", ".io"],
        ["static.crates", ".io"],
    ];
    let homes = [
        ["/home", "/"],
        ["/Users", "/"],
        ["/work", "/"],
        ["/root", "/"],
    ];
    // What examples call a person, and where a package manager lives.
    let everybody_s = ["ada", "me", "linuxbrew"];
    let is_host = hosts.iter().any(|host| line.contains(&host.concat()));
    let is_home = homes.iter().map(|home| home.concat()).any(|home| {
        line.match_indices(&home).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + home.len()..]);
            let inside_a_path =
                before.ends_with(|it: char| it.is_alphanumeric() || "._-}".contains(it));
            let name = after
                .split(|it: char| !it.is_alphanumeric())
                .next()
                .unwrap_or_default();
            !inside_a_path && !everybody_s.contains(&name)
        })
    });
    is_host || is_home
}

#[test]
fn no_file_names_a_path_of_somebody_s_machine_or_a_registry_s_host() {
    let all: Vec<_> = files()
        .into_iter()
        .map(|file| (file.clone(), crate::tree::text(&file)))
        .collect();
    let found = lines_that(&all, |file, line| {
        file != "Cargo.lock" && names_a_machine(line)
    });
    assert!(found.is_empty(), "{found:#?}");
    assert!(
        names_a_machine(&format!("cd {}/main", "/work")) && !names_a_machine("/srv/work/atlas")
    );
}

#[test]
fn every_decision_is_dated_and_says_context_decision_and_consequence() {
    let decisions = sources(&["docs/decisions/"], &[".md"]);
    for (file, text) in decisions {
        let date = file
            .trim_start_matches("docs/decisions/")
            .get(..10)
            .unwrap()
            .to_owned();
        assert!(
            text.contains(&format!("\n{date}.\n")),
            "{file} has no line `{date}.`"
        );
        for part in ["**Context.**", "**Decision.**", "**Consequence.**"] {
            assert!(text.contains(part), "{file} has no {part}");
        }
    }
}

/// The identifiers of inputs that stand in a name, such as `b4_rb15_names_match`.
fn identifiers(name: &str) -> impl Iterator<Item = (String, u32)> + '_ {
    name.split('_').filter_map(|word| {
        let digits = word.find(|it: char| it.is_ascii_digit())?;
        let (letters, number) = word.split_at(digits);
        Some((letters.to_owned(), number.parse().ok()?))
    })
}

#[test]
fn every_known_trouble_of_layouts_ssh_and_deletions_is_tried_or_said_not_to_be() {
    let mut named = std::collections::HashSet::new();
    for (_, text) in sources(&["src-tauri/", "tests/"], &[".rs"]) {
        for line in text.lines() {
            if let Some((_, rest)) = line.split_once("fn ") {
                let name: String = rest
                    .chars()
                    .take_while(|it| it.is_alphanumeric() || *it == '_')
                    .collect();
                named.extend(identifiers(&name));
            }
        }
    }
    for (_, text) in sources(&["ui/src/"], &[".tsx", ".ts"]) {
        for line in text.lines().filter(|line| line.contains("it(\"")) {
            named.extend(identifiers(line.split('"').nth(1).unwrap_or_default()));
        }
    }
    let said = std::fs::read_to_string(root().join("docs/not-tested.md")).unwrap();
    for word in said.split(|it: char| !it.is_alphanumeric()) {
        named.extend(identifiers(&word.to_lowercase()));
    }
    let classes = [
        ("a", 33),
        ("ra", 40),
        ("z", 14),
        ("b", 16),
        ("rb", 34),
        ("c", 18),
        ("e", 14),
        ("rc", 36),
    ];
    let missing: Vec<String> = classes
        .into_iter()
        .flat_map(|(class, last)| (1..=last).map(move |n| (class, n)))
        .filter(|(class, n)| !named.contains(&((*class).to_owned(), *n)))
        .map(|(class, n)| format!("{class}{n}"))
        .collect();
    assert!(
        missing.is_empty(),
        "neither a test nor a reason: {missing:?}"
    );
    assert_eq!(
        identifiers("i1_b11_rb31_cut").collect::<Vec<_>>(),
        [
            ("i".to_owned(), 1),
            ("b".to_owned(), 11),
            ("rb".to_owned(), 31)
        ]
    );
}
