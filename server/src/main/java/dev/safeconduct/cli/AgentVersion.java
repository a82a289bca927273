package dev.safeconduct.cli;

import dev.safeconduct.config.Env;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of an agent's program, such as 2.1.330. */
record AgentVersion(List<Integer> parts) {
  private static final Pattern NUMBERS = Pattern.compile("\\d{1,8}(\\.\\d{1,8})+");
  private static final Duration MOST = Duration.ofSeconds(5);

  /** Returns the version in the text; a single number counts. */
  static AgentVersion of(String text) {
    return new AgentVersion(Arrays.stream(text.split("\\.", -1)).map(Integer::valueOf).toList());
  }

  /** Returns the version that the program on the path prints; empty if there is none. */
  static Optional<AgentVersion> found(AgentFiles agent, Env env) {
    String path = env.string("PATH", "/usr/local/bin:/usr/bin:/bin");
    return Arrays.stream(path.split(":", -1))
        .filter(folder -> folder.startsWith("/"))
        .map(folder -> Path.of(folder, agent.program()))
        .filter(Files::isExecutable)
        .findFirst()
        .flatMap(program -> printed(program, env));
  }

  private static Optional<AgentVersion> printed(Path program, Env env) {
    try {
      HookProcess run =
          HookProcess.run(
              List.of(program.toString(), "--version"), new byte[0], Path.of("/"), env, MOST);
      Matcher version = NUMBERS.matcher(run.out());
      return version.find() ? Optional.of(of(version.group())) : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  boolean isBelow(AgentVersion other) {
    int most = Math.max(parts.size(), other.parts.size());
    for (int i = 0; i < most; i++) {
      int difference = Integer.compare(at(i), other.at(i));
      if (difference != 0) {
        return difference < 0;
      }
    }
    return false;
  }

  private int at(int index) {
    return index < parts.size() ? parts.get(index) : 0;
  }

  @Override
  public String toString() {
    return String.join(".", parts.stream().map(String::valueOf).toList());
  }
}
