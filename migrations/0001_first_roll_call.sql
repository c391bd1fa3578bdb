-- The registry: mirror, annotations and journal.
--
-- Identifiers are UUIDs of 16 bytes. Times are nanoseconds since the epoch. Paths are the host's bytes.
-- Columns of workspaces but untracked_at belong to roll calls, annotations and tags to people.

-- Marks the file as a registry of Rollcall ("Roll").
PRAGMA application_id = 1383033964;

CREATE TABLE meta (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    revision INTEGER NOT NULL CHECK (revision >= 0)
) STRICT;

INSERT INTO meta (only_row, revision) VALUES (1, 0);

CREATE TABLE hosts (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    label       TEXT NOT NULL CHECK (label <> '' AND label = trim(label)),
    -- The label in lower case, by the rules of Unicode that SQLite does not have.
    label_key   TEXT NOT NULL CONSTRAINT host_label_is_unique UNIQUE,
    address     TEXT NOT NULL CHECK (json_valid(address)),
    suspended   INTEGER NOT NULL DEFAULT 0 CHECK (suspended IN (0, 1)),
    position    INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    answered_at INTEGER,
    system      TEXT,
    git_version TEXT
) STRICT;

CREATE UNIQUE INDEX one_local_host ON hosts (json_extract(address, '$.by'))
    WHERE json_extract(address, '$.by') = 'local';

CREATE TABLE roots (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    host_id     BLOB NOT NULL REFERENCES hosts (id),
    kind        TEXT NOT NULL CHECK (kind IN ('repository', 'directory')),
    path        BLOB NOT NULL CHECK (length(path) > 0),
    mount       BLOB,
    -- How its last roll call ended; NULL until there was one.
    condition   TEXT CHECK (condition IS NULL OR json_valid(condition)),
    asserted_at INTEGER,
    facts_at    INTEGER,
    notes       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(notes)),
    created_at  INTEGER NOT NULL,
    UNIQUE (host_id, path, kind)
) STRICT;

CREATE TABLE workspaces (
    id                 BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    host_id            BLOB NOT NULL REFERENCES hosts (id),
    root_id            BLOB NOT NULL REFERENCES roots (id),
    kind               TEXT NOT NULL CHECK (kind IN ('repository', 'worktree', 'directory')),
    provenance         TEXT NOT NULL CHECK (provenance IN ('registered', 'adopted')),
    path               BLOB NOT NULL CHECK (length(path) > 0),
    -- The unsigned inode number, in two's complement.
    generation_inode   INTEGER,
    generation_origin  TEXT CHECK (generation_origin IN ('birth', 'birth_second', 'written_once')),
    generation_seconds INTEGER,
    generation_nanos   INTEGER CHECK (generation_nanos BETWEEN 0 AND 4294967295),
    mount              BLOB,
    presence           TEXT NOT NULL
                       CHECK (presence IN ('present', 'away', 'prunable', 'missing', 'not_asserted')),
    presence_reason    TEXT,
    missing_since      INTEGER,
    existence          TEXT NOT NULL CHECK (json_valid(existence)),
    facts              TEXT CHECK (facts IS NULL OR json_valid(facts)),
    facts_unknown      TEXT,
    facts_as_of        INTEGER,
    recreated          INTEGER NOT NULL DEFAULT 0 CHECK (recreated IN (0, 1)),
    -- Written by people.
    untracked_at       INTEGER,
    revision           INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    CHECK ((generation_inode IS NULL) = (generation_origin IS NULL)),
    CHECK ((generation_inode IS NULL) = (generation_seconds IS NULL)),
    CHECK ((generation_nanos IS NOT NULL) = (generation_origin IS 'birth')),
    CHECK ((missing_since IS NOT NULL) = (presence = 'missing')),
    CHECK ((presence_reason IS NOT NULL) = (presence IN ('prunable', 'not_asserted')))
) STRICT;

-- A strong generation names one thing on a host. Paths do not: a missing workspace keeps the path at which
-- another stands now.
CREATE UNIQUE INDEX one_row_of_a_generation
    ON workspaces (host_id, generation_inode, generation_seconds, generation_nanos)
    WHERE generation_origin = 'birth' AND untracked_at IS NULL;
CREATE INDEX workspaces_by_host ON workspaces (host_id);
CREATE INDEX workspaces_by_root ON workspaces (root_id);
CREATE INDEX workspaces_by_revision ON workspaces (revision);

CREATE TABLE annotations (
    workspace_id BLOB NOT NULL PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    note         TEXT NOT NULL DEFAULT '',
    display_name TEXT CHECK (display_name <> ''),
    pinned       INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    changed_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE tags (
    workspace_id BLOB NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    tag          TEXT NOT NULL CHECK (tag <> '' AND tag = trim(tag)),
    position     INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, tag)
) STRICT, WITHOUT ROWID;

-- Rows that are gone, for those who ask what changed.
CREATE TABLE removals (
    revision     INTEGER NOT NULL,
    workspace_id BLOB NOT NULL CHECK (length(workspace_id) = 16),
    PRIMARY KEY (revision, workspace_id)
) STRICT, WITHOUT ROWID;

-- Lines outlive what they speak of, so nothing here refers to other tables.
CREATE TABLE journal (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    at           INTEGER NOT NULL,
    actor        TEXT NOT NULL CHECK (actor IN ('roll_call', 'person')),
    host_id      BLOB,
    workspace_id BLOB,
    path         BLOB,
    kind         TEXT NOT NULL,
    detail       TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;

CREATE INDEX journal_by_workspace ON journal (workspace_id, number) WHERE workspace_id IS NOT NULL;
