package dev.safeconduct.config;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Reads the JSON files that are a part of the release. */
public final class ReleaseFile {
  private ReleaseFile() {}

  /** Returns the contents of a file such as {@code hooks.json}. */
  public static JsonObject read(String name) {
    try (InputStream in = ReleaseFile.class.getResourceAsStream("/" + name)) {
      return Json.own(Objects.requireNonNull(in, name).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
