-- What the Merkle log holds of each record, and the log's tiles (C2SP tlog-tiles): full ones of leaf
-- hashes, those above as far as they have come. Records of earlier versions are committed to by the
-- step in Java that follows.
ALTER TABLE audit ADD COLUMN salt BYTEA NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN commitment BYTEA NOT NULL DEFAULT '';
ALTER TABLE audit ALTER COLUMN salt SET STORAGE PLAIN;
ALTER TABLE audit ALTER COLUMN commitment SET STORAGE PLAIN;
CREATE TABLE log_tile (
  level INTEGER NOT NULL,
  tile BIGINT NOT NULL,
  hashes BYTEA NOT NULL,
  PRIMARY KEY (level, tile)
);
