//! What a roll call comes to, said a second time in the simplest way: no index, no order, no shortcut.

use super::*;

/// What is expected of one row: its id unless it is new, its path, generation, presence and whether it is held.
pub(super) type Expected = (
    Option<WorkspaceId>,
    HostPath,
    Option<Generation>,
    Presence,
    bool,
);

/// Everything complete roots assert, and where they looked in vain.
pub(super) struct Heard {
    pub(super) assertions: Vec<(RootId, Assertion)>,
    /// Roots that asserted completely.
    pub(super) complete: Vec<RootId>,
    /// Roots whose own path is gone.
    pub(super) gone: Vec<RootId>,
    /// Paths where complete roots found nothing, on the mount they know.
    pub(super) nothing_at: Vec<(RootId, HostPath)>,
    /// Paths that complete roots could not look at.
    pub(super) unknown_at: Vec<(RootId, HostPath)>,
}

fn state_of(row: &MirrorRow) -> Expected {
    let state = &row.state;
    (
        Some(row.id),
        state.path.clone(),
        state.generation,
        state.presence.clone(),
        state.unconfirmed.is_some(),
    )
}

fn there(id: Option<WorkspaceId>, assertion: &Assertion) -> Expected {
    let place = assertion.path.clone();
    (id, place, assertion.generation, Presence::Present, false)
}

/// The rows after a roll call. `NotAsserted` reasons are left empty.
pub(super) fn after(memory: &Memory, heard: &Heard, asked_at: u64, second: i64) -> Vec<Expected> {
    let mut rows: Vec<&MirrorRow> = memory.rows.iter().collect();
    // A tracked row speaks for its generation before a hidden one.
    rows.sort_by_key(|row| row.untracked);
    let mut waiting: Vec<&(RootId, Assertion)> = heard.assertions.iter().collect();
    let mut expected = Vec::new();

    // One: the same generation is the same workspace.
    rows.retain(|row| {
        let Some(at) = waiting
            .iter()
            .position(|(_, it)| it.generation == row.state.generation)
        else {
            return true;
        };
        let (_, assertion) = waiting.remove(at);
        expected.push(if row.touched > asked_at {
            state_of(row)
        } else {
            there(Some(row.id), assertion)
        });
        false
    });
    // Two: the same place is the same row, if its root speaks at all; what is hidden stays hidden.
    for (_, assertion) in waiting {
        let found = rows.iter().position(|row| {
            row.state.path == assertion.path
                && row.kind == assertion.kind
                && heard.complete.contains(&row.state.root)
        });
        let Some(row) = found.map(|found| rows.remove(found)) else {
            expected.push(there(None, assertion));
            continue;
        };
        if row.untracked {
            expected.push(there(None, assertion));
            let mut hidden = state_of(row);
            if !matches!(hidden.3, Presence::Missing { .. }) && row.touched <= asked_at {
                let since = row.state.unconfirmed.unwrap_or(at(second));
                (hidden.3, hidden.4) = (Presence::Missing { since }, false);
            }
            expected.push(hidden);
        } else if row.touched > asked_at {
            expected.push(state_of(row));
        } else {
            expected.push(there(Some(row.id), assertion));
        }
    }
    // Three: what nobody named is absent where its root looked.
    let mut absent = Vec::new();
    for row in rows {
        let own = row.kind == WorkspaceKind::Repository;
        let place = &row.state.path;
        let root = row.state.root;
        let asked = (root, place.clone());
        let taken = heard
            .assertions
            .iter()
            .any(|(_, it)| it.path == *place && it.kind == row.kind);
        if row.touched > asked_at {
            expected.push(state_of(row));
        } else if own && heard.gone.contains(&root) {
            absent.push(row);
        } else if !heard.complete.contains(&root) {
            expected.push(state_of(row));
        } else if taken || heard.nothing_at.contains(&asked) {
            absent.push(row);
        } else if heard.unknown_at.contains(&asked) {
            let mut told = state_of(row);
            told.3 = Presence::NotAsserted {
                reason: String::new(),
            };
            told.4 = false;
            expected.push(told);
        } else {
            expected.push(state_of(row));
        }
    }
    // Four: too much of it at once is not believed.
    let is_missing = |row: &MirrorRow| matches!(row.state.presence, Presence::Missing { .. });
    let counts = |row: &&&MirrorRow| !row.untracked && row.tombstone.is_none() && !is_missing(row);
    let lost = absent.iter().filter(counts).count();
    let present = memory
        .rows
        .iter()
        .filter(|row| !row.untracked && row.state.presence == Presence::Present)
        .count();
    let mass = lost > 10 && 10 * lost > 3 * present;
    for row in absent {
        let mut told = state_of(row);
        let missing = Presence::Missing {
            since: row.state.unconfirmed.unwrap_or(at(second)),
        };
        let keeps = row.annotated || row.kept || row.provenance != Provenance::Adopted;
        if row.tombstone.is_some() {
            continue;
        }
        if row.untracked {
            if !mass && !is_missing(row) {
                (told.3, told.4) = (missing, false);
            }
        } else if !is_missing(row) && (mass || told.4) {
            told.4 = true;
        } else if !keeps {
            continue;
        } else if !is_missing(row) {
            (told.3, told.4) = (missing, false);
        }
        expected.push(told);
    }
    expected
}

/// The rows of a mirror in the same terms, adopted ones without their new ids.
pub(super) fn shown(before: &Memory, after: &Memory) -> Vec<Expected> {
    after
        .rows
        .iter()
        .map(|row| {
            let mut told = state_of(row);
            if before.rows.iter().all(|it| it.id != row.id) {
                told.0 = None;
            }
            if let Presence::NotAsserted { reason } = &mut told.3 {
                reason.clear();
            }
            told
        })
        .collect()
}
