package dev.safeconduct.decision.shell;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.CaseFile;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Command lines as data. */
final class Cases {
  private Cases() {}

  /** Group name and line, for every line of every group. */
  static Stream<Arguments> groups(String file) {
    JsonObject groups = CaseFile.object("shell/" + file);
    return groups.names().stream()
        .flatMap(group ->
            groups.array(group).orElseThrow().strings().map(line -> Arguments.of(group, line)));
  }

  /** The CORE pattern of a line that runs in an unknown directory. */
  static Optional<String> core(String command, String... args) {
    return CorePatterns.find(line(command, args), "");
  }

  static CommandLine line(String command, String... args) {
    return CommandLine.of(command, List.of(args));
  }
}
