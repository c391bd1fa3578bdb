//! Which crate may use which.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

use crate::tree::{root, sources};

/// What each crate of the workspace may use of it: in the product, and besides in its tests.
const EDGES: &[(&str, &[&str], &[&str])] = &[
    ("rollcall-converge", &[], &[]),
    ("rollcall-registry", &["rollcall-converge"], &[]),
    (
        "rollcall-collect",
        &["rollcall-converge"],
        &["rollcall-testkit"],
    ),
    (
        "rollcall-supervise",
        &["rollcall-converge"],
        &["rollcall-testkit"],
    ),
    (
        "rollcall-api",
        &[
            "rollcall-converge",
            "rollcall-registry",
            "rollcall-collect",
            "rollcall-supervise",
        ],
        &["rollcall-testkit"],
    ),
    ("rollcall-testkit", &[], &[]),
    ("rollcall", &["rollcall-api"], &[]),
    ("rollcall-tests", &["rollcall-api", "rollcall-testkit"], &[]),
    ("xtask", &[], &[]),
];

/// Libraries that only some crates may use.
const RESERVED: &[(&str, &[&str])] = &[
    ("tauri", &["rollcall"]),
    ("tauri-build", &["rollcall"]),
    ("tauri-plugin-dialog", &["rollcall"]),
    ("tauri-specta", &["rollcall"]),
    ("specta", &["rollcall-api", "rollcall"]),
    ("specta-typescript", &["rollcall"]),
    ("sqlx", &["rollcall-registry"]),
    ("ssh2", &["rollcall-collect"]),
    ("ssh-key", &["rollcall-collect"]),
    ("fantoccini", &["rollcall-tests"]),
    ("x11rb", &["rollcall-tests"]),
];

/// All that converge may use besides.
const PURE: &[&str] = &["jiff", "serde", "thiserror", "uuid"];

/// Licences that ask for nothing but their text.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "OpenSSL",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
    // Weak, and per file: what is changed in them has to be offered, and nothing is changed here.
    "MPL-2.0",
];

fn metadata() -> Metadata {
    MetadataCommand::new().current_dir(root()).exec().unwrap()
}

fn forbidden(package: &str, uses: &BTreeMap<String, bool>) -> Vec<String> {
    let row = EDGES.iter().find(|(name, _, _)| *name == package);
    let Some((_, product, tests)) = row else {
        return vec![format!("`{package}` is not in the table of edges")];
    };
    let mut found = Vec::new();
    for (used, in_tests_only) in uses {
        let own = EDGES.iter().any(|(name, _, _)| name == used);
        let allowed =
            product.contains(&used.as_str()) || (*in_tests_only && tests.contains(&used.as_str()));
        if own && !allowed {
            found.push(format!("`{package}` uses `{used}`"));
        }
        let reserved = RESERVED.iter().find(|(name, _)| name == used);
        if reserved.is_some_and(|(_, by)| !by.contains(&package)) {
            found.push(format!("`{package}` uses `{used}`, which is reserved"));
        }
        let pure = package == "rollcall-converge" && !in_tests_only;
        if pure && !PURE.contains(&used.as_str()) {
            found.push(format!("`{package}` uses `{used}` and is to stay pure"));
        }
    }
    found
}

fn uses(package: &Package) -> BTreeMap<String, bool> {
    let mut uses = BTreeMap::new();
    for dependency in &package.dependencies {
        let in_tests_only = dependency.kind == DependencyKind::Development;
        let entry = uses.entry(dependency.name.clone()).or_insert(in_tests_only);
        *entry &= in_tests_only;
    }
    uses
}

#[test]
fn every_edge_between_crates_is_in_the_table() {
    let metadata = metadata();
    let members = metadata.workspace_packages();
    assert_eq!(members.len(), EDGES.len());
    let found: Vec<String> = members
        .iter()
        .flat_map(|package| forbidden(&package.name, &uses(package)))
        .collect();
    assert!(
        found.is_empty(),
        "{found:#?}\nYou probably want to move a function."
    );
}

#[test]
fn a_new_edge_is_found() {
    let uses = |name: &str, in_tests_only| BTreeMap::from([(name.to_owned(), in_tests_only)]);
    assert_eq!(
        forbidden("rollcall-converge", &uses("tokio", false)).len(),
        1
    );
    assert_eq!(
        forbidden("rollcall-registry", &uses("rollcall-collect", false)).len(),
        1
    );
    assert_eq!(
        forbidden("rollcall-collect", &uses("rollcall-testkit", false)).len(),
        1
    );
    assert_eq!(
        forbidden("rollcall-collect", &uses("rollcall-testkit", true)).len(),
        0
    );
    assert_eq!(forbidden("rollcall-api", &uses("sqlx", false)).len(), 1);
    assert_eq!(forbidden("another", &BTreeMap::new()).len(), 1);
}

#[test]
fn only_the_shell_is_left_out_of_a_plain_build() {
    let metadata = metadata();
    let default: BTreeSet<_> = metadata.workspace_default_members.iter().collect();
    let left_out: Vec<_> = metadata
        .workspace_packages()
        .into_iter()
        .filter(|package| !default.contains(&package.id))
        .map(|package| package.name.to_string())
        .collect();
    assert_eq!(left_out, ["rollcall", "rollcall-tests"]);
}

#[test]
fn every_dependency_is_used() {
    let metadata = metadata();
    let mut unused = Vec::new();
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.parent().unwrap();
        let folder = folder.strip_prefix(root()).unwrap().as_str();
        let prefix = format!("{folder}/");
        let all = sources(&[&prefix], &[".rs"]);
        for dependency in &package.dependencies {
            let name = dependency
                .rename
                .as_ref()
                .unwrap_or(&dependency.name)
                .replace('-', "_");
            let is_used = all.iter().any(|(file, text)| {
                let inner = file.strip_prefix(&prefix).unwrap_or_default();
                let foreign = folder == "src-tauri"
                    && (inner.starts_with("crates/") || inner.starts_with("xtask/"));
                !foreign
                    && (text.contains(&format!("{name}::"))
                        || text.contains(&format!("use {name};")))
            });
            if !is_used {
                unused.push(format!(
                    "`{}` does not use `{}`",
                    package.name, dependency.name
                ));
            }
        }
    }
    assert!(unused.is_empty(), "{unused:#?}");
}

#[test]
fn every_dependency_of_the_workspace_is_a_member_s() {
    let manifest = crate::tree::text("Cargo.toml");
    let table = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let table = table.split("\n[").next().unwrap();
    let names: Vec<&str> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = ").map(|(name, _)| name))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    let metadata = metadata();
    let used: BTreeSet<String> = metadata
        .workspace_packages()
        .iter()
        .flat_map(|it| uses(it).into_keys())
        .collect();
    let unused: Vec<_> = names
        .into_iter()
        .filter(|name| !used.contains(*name))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

/// Whether the words of a licence leave a choice that is permissive.
fn permissive(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], " ");
    // No licence in use nests a choice inside of a sum: each part of a sum has to leave a choice.
    expression.split(" AND ").all(|part| {
        part.split(" OR ")
            .any(|licence| LICENCES.contains(&licence.trim()))
    })
}

#[test]
fn every_dependency_has_a_permissive_licence() {
    let metadata = metadata();
    let found: Vec<String> = metadata
        .packages
        .iter()
        .filter(|package| !package.license.as_deref().is_some_and(permissive))
        .map(|package| {
            format!(
                "{} {}: {:?}",
                package.name, package.version, package.license
            )
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}");
    assert!(permissive("MIT/Apache-2.0") && permissive("(MIT OR GPL-3.0) AND Unicode-3.0"));
    assert!(!permissive("GPL-3.0-only") && !permissive("MIT AND GPL-2.0"));
}
