-- How hosts are reached, and hosts that were forgotten and may come back under another label.

-- How it was signed in to last.
ALTER TABLE hosts ADD COLUMN sign_in TEXT CHECK (sign_in IS NULL OR json_valid(sign_in));
-- The fingerprint of the key it showed last.
ALTER TABLE hosts ADD COLUMN host_key TEXT CHECK (host_key <> '');
-- Seconds from one roll call to the next while the window is visible, where a person chose them.
ALTER TABLE hosts ADD COLUMN cadence INTEGER CHECK (cadence BETWEEN 10 AND 86400);
-- Nothing of it is shown or called any more; its rows wait for the same machine to be added again.
ALTER TABLE hosts ADD COLUMN forgotten_at INTEGER;

CREATE INDEX hosts_forgotten ON hosts (forgotten_at) WHERE forgotten_at IS NOT NULL;

CREATE VIEW live_hosts AS SELECT * FROM hosts WHERE forgotten_at IS NULL;
CREATE VIEW live_roots AS SELECT * FROM roots
    WHERE host_id NOT IN (SELECT id FROM hosts WHERE forgotten_at IS NOT NULL);
CREATE VIEW live_workspaces AS SELECT * FROM workspaces
    WHERE host_id NOT IN (SELECT id FROM hosts WHERE forgotten_at IS NOT NULL);
