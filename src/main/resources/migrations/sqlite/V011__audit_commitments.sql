-- What the Merkle log holds of each record, and the log's tiles (C2SP tlog-tiles): full ones of leaf
-- hashes, those above as far as they have come. Records of earlier versions are committed to by the
-- step in Java that follows.
ALTER TABLE audit ADD COLUMN salt BLOB NOT NULL DEFAULT x'';
ALTER TABLE audit ADD COLUMN commitment BLOB NOT NULL DEFAULT x'';
CREATE TABLE log_tile (
  level INTEGER NOT NULL,
  tile INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (level, tile)
) STRICT;
