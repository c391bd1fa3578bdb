-- What rests in the trash of hosts, by the word of their last roll calls, with what people had written about it.
CREATE TABLE trash (
    host_id      BLOB NOT NULL REFERENCES hosts (id) ON DELETE CASCADE,
    -- The folder of its manifest.
    place        BLOB NOT NULL CHECK (length(place) > 0),
    told         TEXT NOT NULL CHECK (json_valid(told)),
    -- The row it was, which it becomes again when it is restored.
    workspace_id BLOB CHECK (length(workspace_id) = 16),
    annotations  TEXT CHECK (annotations IS NULL OR json_valid(annotations)),
    -- When a person was first shown that its days are over.
    shown_due_at INTEGER,
    seen_at      INTEGER NOT NULL,
    PRIMARY KEY (host_id, place)
) STRICT, WITHOUT ROWID;
