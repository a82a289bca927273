package dev.safeconduct.site;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Builds the OpenAPI document from the files of {@code api/openapi} at build time: {@code
 * openapi.json} first, then the others by name. Each file holds a part of the document, and no two
 * files hold the same part.
 */
public final class ContractBundle {
  private static final String ROOT = "openapi.json";

  private ContractBundle() {}

  /** Arguments: the folder of the parts, and the file to write. */
  public static void main(String... args) throws IOException {
    Path target = Path.of(args[1]);
    Files.createDirectories(target.toAbsolutePath().getParent());
    Files.write(target, Json.bytes(of(Path.of(args[0]))));
  }

  /**
   * @throws IllegalArgumentException when a part is not JSON, or is in two files
   */
  static JsonObject of(Path folder) throws IOException {
    JsonObject document = read(folder.resolve(ROOT));
    for (Path part : parts(folder)) {
      document = merge(document, read(part), part.getFileName().toString());
    }
    return document;
  }

  private static List<Path> parts(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .filter(file -> !file.endsWith(ROOT))
          .sorted()
          .toList();
    }
  }

  private static JsonObject read(Path file) throws IOException {
    try {
      return Json.parseObject(Files.readAllBytes(file));
    } catch (JsonFault e) {
      throw new IllegalArgumentException(file + " is not a JSON object: " + e.getMessage(), e);
    }
  }

  /**
   * @param where the file and the path of members that lead to {@code part}
   */
  private static JsonObject merge(JsonObject whole, JsonObject part, String where) {
    JsonObject.Builder merged = whole.toBuilder();
    part.forEach((name, value) -> {
      String place = where + " " + name;
      if (!whole.has(name)) {
        merged.put(name, value);
      } else if (whole.get(name) instanceof JsonObject outer && value instanceof JsonObject inner) {
        merged.put(name, merge(outer, inner, place));
      } else {
        throw new IllegalArgumentException(place + " is in another file too.");
      }
    });
    return merged.build();
  }
}
