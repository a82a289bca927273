-- The id a passport's UUID stands for, where the passport was brought over with another id: it is
-- found by both.
ALTER TABLE passport ADD COLUMN alias TEXT;
CREATE UNIQUE INDEX passport_alias ON passport (alias);
