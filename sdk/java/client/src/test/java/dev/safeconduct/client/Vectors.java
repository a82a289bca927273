package dev.safeconduct.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code sdk/vectors}, the cases that the clients in all languages pass. */
final class Vectors {
  private static final Path FOLDER = Path.of("sdk/vectors");

  private Vectors() {}

  static Map<String, @Nullable Object> read(String file) {
    try {
      return Json.object(Json.parse(Files.readAllBytes(FOLDER.resolve(file))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Map<String, @Nullable Object>> objects(
      Map<String, @Nullable Object> from, String name) {
    List<Map<String, @Nullable Object>> objects = new ArrayList<>();
    if (from.get(name) instanceof List<?> list) {
      list.forEach(each -> objects.add(Json.object(each)));
    }
    return objects;
  }

  /** Returns the object of that name; an empty one if there is none. */
  static Map<String, @Nullable Object> object(Map<String, @Nullable Object> from, String name) {
    return from.get(name) == null ? Map.of() : Json.object(from.get(name));
  }

  static String text(Map<String, @Nullable Object> from, String name, String otherwise) {
    return from.get(name) instanceof String text ? text : otherwise;
  }

  static int number(Map<String, @Nullable Object> from, String name, int otherwise) {
    return from.get(name) instanceof Number number ? number.intValue() : otherwise;
  }

  static boolean is(Map<String, @Nullable Object> from, String name) {
    return Boolean.TRUE.equals(from.get(name));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
