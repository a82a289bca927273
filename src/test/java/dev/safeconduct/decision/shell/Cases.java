package dev.safeconduct.decision.shell;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Command lines as data. */
final class Cases {
  private Cases() {}

  /** Group name and line, for every line of every group. */
  static Stream<Arguments> groups(String file) {
    JsonObject groups = (JsonObject) read(file);
    return groups.names().stream()
        .flatMap(group ->
            groups.array(group).orElseThrow().strings().map(line -> Arguments.of(group, line)));
  }

  static JsonValue read(String file) {
    try (InputStream in = Objects.requireNonNull(Cases.class.getResourceAsStream(file), file)) {
      return Json.parse(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonFault e) {
      throw new IllegalStateException(file, e);
    }
  }

  static CommandLine line(String command, String... args) {
    return CommandLine.of(command, List.of(args));
  }
}
