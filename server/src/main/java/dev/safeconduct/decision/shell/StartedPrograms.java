package dev.safeconduct.decision.shell;

import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The programs that a command line starts, as {@code allowed_commands} sees them. */
public final class StartedPrograms {
  private StartedPrograms() {}

  /**
   * Returns the words of each program, a wrapper and the command behind it each, in order.
   *
   * @param context of a command (pack catalogue 1)
   * @return empty if the line is not a closed line, which only {@code *} admits
   */
  public static Optional<List<List<String>>> of(JsonObject context) {
    ClosedLine line = ClosedLine.read(context);
    if (line.fault().isPresent()) {
      return Optional.empty();
    }
    var programs = new ArrayList<List<String>>();
    for (SimpleCommand command : line.commands()) {
      for (int start : command.starts()) {
        programs.add(List.copyOf(command.words().subList(start, command.words().size())));
      }
    }
    return Optional.of(programs);
  }
}
