package dev.safeconduct.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.ThrowingConsumer;

/** Cases as data: the files under {@code src/test/resources/cases}. */
public final class CaseFile {
  private CaseFile() {}

  /** The file's text. */
  public static String text(String name) {
    try (InputStream in = CaseFile.class.getResourceAsStream("/cases/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }

  /** The JSON value that the file holds. */
  public static JsonValue json(String name) {
    return parsed(name, text(name));
  }

  /** The JSON object that the file holds. */
  public static JsonObject object(String name) {
    return (JsonObject) json(name);
  }

  /** The JSON objects that the file holds: one a line, or the elements of its array. */
  public static List<JsonObject> objects(String name) {
    Stream<JsonValue> values =
        name.endsWith(".jsonl")
            ? text(name).lines().filter(line -> !line.isBlank()).map(line -> parsed(name, line))
            : ((JsonArray) json(name)).elements().stream();
    return values.map(JsonObject.class::cast).toList();
  }

  /** A test for each object of the file. */
  public static List<DynamicTest> tests(
      String name, Function<JsonObject, String> title, ThrowingConsumer<JsonObject> test) {
    return objects(name).stream()
        .map(each -> DynamicTest.dynamicTest(title.apply(each), () -> test.accept(each)))
        .toList();
  }

  private static JsonValue parsed(String name, String text) {
    try {
      return Json.parse(text);
    } catch (JsonFault e) {
      throw new AssertionError("not JSON: " + name, e);
    }
  }
}
