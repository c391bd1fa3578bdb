-- Decisions of people: deletions, absence that was held, conflicts, who a host is, and more annotations.

ALTER TABLE hosts ADD COLUMN machine TEXT CHECK (machine <> '');
-- What it called its machine when that was another one; nothing it said since was taken up.
ALTER TABLE hosts ADD COLUMN machine_offered TEXT CHECK (machine_offered <> '');

ALTER TABLE roots ADD COLUMN conflicts TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(conflicts));

-- Written by roll calls: since when its host says it is gone and nobody has decided whether to believe that.
ALTER TABLE workspaces ADD COLUMN unconfirmed_since INTEGER;
-- Written by people: whether to keep it although its host says it is gone.
ALTER TABLE workspaces ADD COLUMN kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1));
-- Written by verbs: the revision after which a roll call has to begin to conclude anything about it.
ALTER TABLE workspaces ADD COLUMN touched INTEGER NOT NULL DEFAULT 0 CHECK (touched >= 0);

CREATE INDEX workspaces_unconfirmed ON workspaces (host_id) WHERE unconfirmed_since IS NOT NULL;
CREATE INDEX workspaces_untracked ON workspaces (untracked_at) WHERE untracked_at IS NOT NULL;

CREATE TABLE groups (
    id       BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name     TEXT NOT NULL CHECK (name <> '' AND name = trim(name)),
    -- The name in lower case, by the rules of Unicode that SQLite does not have.
    name_key TEXT NOT NULL CONSTRAINT group_name_is_unique UNIQUE,
    position INTEGER NOT NULL
) STRICT;

ALTER TABLE annotations ADD COLUMN group_id BLOB REFERENCES groups (id) ON DELETE SET NULL;
ALTER TABLE annotations ADD COLUMN position INTEGER;
ALTER TABLE annotations ADD COLUMN colour TEXT
    CHECK (colour IN ('red', 'orange', 'yellow', 'green', 'blue', 'purple', 'grey'));
ALTER TABLE annotations ADD COLUMN link TEXT CHECK (link <> '');

CREATE INDEX annotations_by_group ON annotations (group_id) WHERE group_id IS NOT NULL;

-- A pending deletion, and the queue of deletions in one.
CREATE TABLE tombstones (
    workspace_id    BLOB NOT NULL PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    consent         TEXT NOT NULL CHECK (json_valid(consent)),
    -- Raised by every decision of a person: what an attempt of an older one says is dropped.
    epoch           INTEGER NOT NULL CHECK (epoch >= 1),
    created_at      INTEGER NOT NULL,
    -- When an attempt began whose end nobody told.
    begun_at        INTEGER,
    failures        INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    attempted_at    INTEGER,
    next_attempt_at INTEGER,
    outcome         TEXT CHECK (outcome IS NULL OR json_valid(outcome)),
    stopped         INTEGER NOT NULL DEFAULT 0 CHECK (stopped IN (0, 1)),
    CHECK (stopped = 0 OR next_attempt_at IS NULL)
) STRICT;

-- Which of several records that claim a path a person holds to be the true one.
CREATE TABLE choices (
    host_id            BLOB NOT NULL REFERENCES hosts (id) ON DELETE CASCADE,
    path               BLOB NOT NULL CHECK (length(path) > 0),
    generation_inode   INTEGER NOT NULL,
    generation_origin  TEXT NOT NULL CHECK (generation_origin IN ('birth', 'birth_second', 'written_once')),
    generation_seconds INTEGER NOT NULL,
    generation_nanos   INTEGER CHECK (generation_nanos BETWEEN 0 AND 4294967295),
    made_at            INTEGER NOT NULL,
    PRIMARY KEY (host_id, path),
    CHECK ((generation_nanos IS NOT NULL) = (generation_origin = 'birth'))
) STRICT, WITHOUT ROWID;

-- Sweeps and housekeeping act too. A check cannot be altered, so the table is made anew with its lines.
CREATE TABLE journal_new (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    at           INTEGER NOT NULL,
    actor        TEXT NOT NULL CHECK (actor IN ('roll_call', 'person', 'sweep')),
    host_id      BLOB,
    workspace_id BLOB,
    path         BLOB,
    kind         TEXT NOT NULL,
    detail       TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;
INSERT INTO journal_new SELECT number, at, actor, host_id, workspace_id, path, kind, detail FROM journal;
DROP TABLE journal;
ALTER TABLE journal_new RENAME TO journal;
CREATE INDEX journal_by_workspace ON journal (workspace_id, number) WHERE workspace_id IS NOT NULL;
