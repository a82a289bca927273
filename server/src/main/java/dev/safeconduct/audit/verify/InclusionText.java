package dev.safeconduct.audit.verify;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * An inclusion proof as text in either form: the JSON of {@code /api/audit/{record_id}/proof}, or
 * C2SP tlog-proof.
 *
 * @param checkpoint the signed note
 * @param size the size of the tree, where the proof repeats it
 * @param leaf the leaf's hash, where the proof has it
 * @param salt the record's salt, where the proof has it
 */
public record InclusionText(
    long index,
    List<byte[]> path,
    String checkpoint,
    Optional<Long> size,
    Optional<String> leaf,
    Optional<String> salt) {
  private static final String HEAD = "c2sp.org/tlog-proof@v1\n";

  /** Parses the proof; empty when it has neither form. */
  public static Optional<InclusionText> parse(String text) {
    try {
      return text.startsWith(HEAD)
          ? tlogProof(text.substring(HEAD.length()))
          : json(Json.parseObject(text.getBytes(StandardCharsets.UTF_8)));
    } catch (JsonFault | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Optional<InclusionText> tlogProof(String text) {
    int gap = text.indexOf("\n\n");
    if (gap < 0) {
      return Optional.empty();
    }
    var path = new ArrayList<byte[]>();
    long index = -1;
    Optional<String> salt = Optional.empty();
    for (String line : text.substring(0, gap).split("\n", -1)) {
      if (line.startsWith("index ")) {
        index = Long.parseLong(line.substring("index ".length()));
      } else if (line.startsWith("extra ")) {
        byte[] extra = Base64.getDecoder().decode(line.substring("extra ".length()));
        salt = Optional.of(HexFormat.of().formatHex(extra));
      } else {
        path.add(Base64.getDecoder().decode(line));
      }
    }
    return index < 0
        ? Optional.empty()
        : Optional.of(
            new InclusionText(
                index, path, text.substring(gap + 2), Optional.empty(), Optional.empty(), salt));
  }

  private static Optional<InclusionText> json(JsonObject proof) {
    var path = new ArrayList<byte[]>();
    for (JsonValue hash : proof.array("inclusion_path").orElse(JsonArray.EMPTY)) {
      if (!(hash instanceof JsonString(String hex))) {
        return Optional.empty();
      }
      path.add(HexFormat.of().parseHex(hex));
    }
    Optional<Long> index = whole(proof, "index");
    Optional<String> checkpoint = proof.string("checkpoint");
    if (index.isEmpty()
        || checkpoint.isEmpty()
        || (proof.has("tree_size") && whole(proof, "tree_size").isEmpty())
        || (proof.has("leaf_hash") && proof.string("leaf_hash").isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(
        new InclusionText(
            index.get(),
            path,
            checkpoint.get(),
            whole(proof, "tree_size"),
            proof.string("leaf_hash"),
            Optional.empty()));
  }

  private static Optional<Long> whole(JsonObject proof, String name) {
    return proof.get(name) instanceof JsonNumber number && number.isSafeInteger()
        ? Optional.of((long) number.value())
        : Optional.empty();
  }
}
