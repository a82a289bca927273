-- 1 where the owner lets anybody find the passport in a list.
ALTER TABLE passport ADD COLUMN listed SMALLINT NOT NULL DEFAULT 0;
UPDATE passport SET listed = 1
WHERE document LIKE '%"show_in_gallery":true%' AND document LIKE '%"claimed":true%';
CREATE INDEX passport_listed ON passport (created_at, agent_id) WHERE listed = 1;
