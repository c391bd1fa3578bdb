-- Whether a person had Rollcall make it: what was made here stays in the mirror until a person decides.
ALTER TABLE workspaces ADD COLUMN made_here INTEGER NOT NULL DEFAULT 0 CHECK (made_here IN (0, 1));
