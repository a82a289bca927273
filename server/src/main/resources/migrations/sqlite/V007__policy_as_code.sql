-- Adds the labels of objects that files manage, and what else deploy tokens may change by files.
-- Rewrites: operator_token

-- Objects of organizations that files manage. object is the id, name the name in the files; applied is
-- what the files have set, without secrets. owner is the label of the files' owner, empty without one.
CREATE TABLE managed_object (
  org TEXT NOT NULL,
  kind TEXT NOT NULL,
  object TEXT NOT NULL,
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  revision TEXT,
  applied TEXT NOT NULL,
  applied_at INTEGER NOT NULL,
  PRIMARY KEY (org, kind, object)
) STRICT;

-- How often files have changed an organization: an apply writes only if no other has come between.
CREATE TABLE deployment (
  org TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT;

-- What files may change with a deploy token besides packs and passports, separated by spaces.
ALTER TABLE operator_token ADD COLUMN may TEXT NOT NULL DEFAULT '';
