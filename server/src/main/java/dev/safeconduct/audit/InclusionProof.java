package dev.safeconduct.audit;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.tlog.Tree;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * A proof that a record is in the log, verifiable with the log's public key only.
 *
 * @param path from the leaf's sibling to the root's child (RFC 6962 section 2.1.1)
 * @param signed the checkpoint whose root the path leads to
 */
public record InclusionProof(StoredRecord record, List<byte[]> path, Checkpoints.Signed signed) {
  /** Creates a proof of the record in a fresh checkpoint that covers it. */
  public static InclusionProof of(StoredRecord record, MerkleLog log, Checkpoints checkpoints) {
    Checkpoints.Signed signed = checkpoints.atLeast(record.logIndex() + 1);
    var tree = new Tree(log.nodes(), signed.checkpoint().size());
    return new InclusionProof(record, tree.inclusion(record.logIndex()), signed);
  }

  /** Returns the hashes as 64 hex digits each. */
  public JsonObject json() {
    HexFormat hex = HexFormat.of();
    return JsonObject.builder()
        .put("leaf_hash", hex.formatHex(record.commitment().leafHash()))
        .put("index", record.logIndex())
        .put("tree_size", signed.checkpoint().size())
        .put("inclusion_path", JsonArray.ofStrings(path.stream().map(hex::formatHex).toList()))
        .put("checkpoint", signed.note().encoded())
        .build();
  }

  /** Returns the proof as C2SP tlog-proof; the record's salt is its extra data. */
  public String tlogProof() {
    Base64.Encoder base64 = Base64.getEncoder();
    var text = new StringBuilder("c2sp.org/tlog-proof@v1\n");
    if (!record.commitment().isErased()) {
      text.append("extra ").append(base64.encodeToString(record.commitment().salt())).append('\n');
    }
    text.append("index ").append(record.logIndex()).append('\n');
    path.forEach(hash -> text.append(base64.encodeToString(hash)).append('\n'));
    return text.append('\n').append(signed.note().encoded()).toString();
  }
}
