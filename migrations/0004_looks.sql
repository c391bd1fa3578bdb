-- What was seen of a workspace in depth, and how large it was, when somebody looked last. Both are observations of its
-- host, kept with what tells the workspace from a later one at its path.
CREATE TABLE looks (
    workspace_id BLOB NOT NULL PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    looked_at    INTEGER,
    look         TEXT CHECK (look IS NULL OR json_valid(look)),
    measured_at  INTEGER,
    size         TEXT CHECK (size IS NULL OR json_valid(size)),
    CHECK ((looked_at IS NULL) = (look IS NULL)),
    CHECK ((measured_at IS NULL) = (size IS NULL))
) STRICT;

-- The full name of the branch that others are merged into, where a person chose one.
ALTER TABLE roots ADD COLUMN base BLOB CHECK (length(base) > 0);
