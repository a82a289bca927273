package dev.safeconduct.audit.verify;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.tlog.CompactRange;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;

/** Recomputes the log's root from an NDJSON export of all its records. */
public final class ExportedTree {
  private ExportedTree() {}

  /**
   * Returns the root of the tree over the file's records; empty when one of them is missing, out of
   * order, or without its leaf. The leaf of a record is made from it; an erased record has its leaf
   * hash instead.
   */
  public static Optional<byte[]> root(Path file) throws IOException {
    var tree = new CompactRange();
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonObject record = Json.parseObject(line.getBytes(StandardCharsets.UTF_8));
        Optional<byte[]> leaf = record.isTrue("erased") ? erased(record) : Receipt.leaf(record);
        if (leaf.isEmpty()
            || !(record.get("log_index") instanceof JsonNumber(double place, _))
            || place != tree.size()) {
          return Optional.empty();
        }
        tree.append(leaf.get());
      }
      return Optional.of(tree.root());
    } catch (JsonFault e) {
      return Optional.empty();
    }
  }

  private static Optional<byte[]> erased(JsonObject record) {
    return record
        .string("leaf_hash")
        .filter(hash -> hash.matches("[0-9a-f]{64}"))
        .map(HexFormat.of()::parseHex);
  }
}
