-- Groups inside groups, saved views, what the window keeps, and a journal that can be asked what is new.

-- The group it lies in. Groups nest once: one that lies in another has none in it.
ALTER TABLE groups ADD COLUMN parent_id BLOB REFERENCES groups (id) ON DELETE SET NULL
    CHECK (parent_id <> id);

CREATE INDEX groups_by_parent ON groups (parent_id) WHERE parent_id IS NOT NULL;

-- Ways to look at the list that people gave a name. What is in a definition is the window's own.
CREATE TABLE views (
    id         BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name       TEXT NOT NULL CHECK (name <> '' AND name = trim(name)),
    -- The name in lower case, by the rules of Unicode that SQLite does not have.
    name_key   TEXT NOT NULL CONSTRAINT view_name_is_unique UNIQUE,
    position   INTEGER NOT NULL,
    definition TEXT NOT NULL CHECK (json_valid(definition))
) STRICT;

-- What people set. Names that a version does not know stay as they are.
CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

CREATE INDEX journal_by_host ON journal (host_id, number) WHERE host_id IS NOT NULL;
CREATE INDEX journal_by_actor ON journal (actor, number);
-- Has all that days are counted from.
CREATE INDEX journal_by_time ON journal (at, host_id, actor);

-- Of what was written before anybody could look, nothing counts as new.
INSERT INTO settings (name, value) SELECT 'journal_seen', coalesce(max(number), 0) FROM journal;
