package dev.safeconduct.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The members that each built-in policy reads, from a file made at build. */
final class Declared {
  private static final String FILE = "declared.json";

  private Declared() {}

  /** Returns the members by policy. */
  static Map<String, Set<String>> members() {
    try (InputStream file = Declared.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is missing in the jar");
      }
      var members = new HashMap<String, Set<String>>();
      Map<String, @Nullable Object> read = Json.object(Json.parse(file.readAllBytes()));
      read.forEach((policy, names) -> {
        var set = new HashSet<String>();
        ((List<?>) java.util.Objects.requireNonNull(names))
            .forEach(name -> set.add(String.valueOf(name)));
        members.put(policy, set);
      });
      return members;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
