package dev.safeconduct.decision.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Given;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs random lines that a list of commands allows in real shells: none may run a program that is
 * not listed, or write a file that is not allowed (validators section 4.9). {@code make
 * test-shells} runs more of them.
 */
class RealShellsTest {
  private static final int ALLOWED = Integer.getInteger("safeconduct.shell.lines", 1_500);
  private static final long SEED = Long.getLong("safeconduct.seed", 1);
  private static final int LEAST_OF_EACH = 8;
  private static final List<String> POSIX = List.of("bash", "dash", "zsh");
  private static final String LIMITS =
      "{'allowed_commands':[%s],'allowed_paths':['%s']}"
          .formatted("'" + String.join("','", ShellLines.LISTED) + "'", ShellLines.OUTPUT);

  private final Map<String, Integer> constructs = new TreeMap<>();
  private int generated;

  @Test
  void allowedLinesRunListedProgramsAndWriteAllowedFilesOnly(@TempDir Path folder)
      throws Exception {
    List<ShellLines.Line> lines = allowedLines();
    System.out.printf(
        "%d generated lines (seed %d), %d of them allowed: %s%n",
        generated, SEED, lines.size(), constructs);
    for (String construct : ShellLines.required()) {
      assertThat(constructs.getOrDefault(construct, 0))
          .as("allowed lines with: " + construct)
          .isGreaterThanOrEqualTo(LEAST_OF_EACH);
    }
    var faults = new ArrayList<String>();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      var runs = new ArrayList<Future<List<String>>>();
      for (String shell : List.of("fish", "bash", "zsh", "dash")) {
        runs.add(threads.submit(run(folder.resolve(shell), shell, lines)));
      }
      for (Future<List<String>> run : runs) {
        faults.addAll(run.get());
      }
    }
    assertThat(faults).isEmpty();
  }

  /** Distinct lines that rules 1 and 3 of the pack allow. */
  private List<ShellLines.Line> allowedLines() {
    var generator = new ShellLines(SEED);
    var lines = new ArrayList<ShellLines.Line>();
    var known = new HashSet<String>();
    while (lines.size() < ALLOWED) {
      ShellLines.Line line = generator.next();
      generated++;
      if (isAllowed(line) && known.add(text(line) + "\0" + line.shell())) {
        lines.add(line);
        line.constructs().forEach(name -> constructs.merge(name, 1, Integer::sum));
      }
    }
    return lines;
  }

  private static boolean isAllowed(ShellLines.Line line) {
    JsonObject.Builder context = JsonObject.builder().put("command", line.command());
    if (!line.args().isEmpty()) {
      context.put("args", JsonArray.ofStrings(line.args()));
    }
    if (!line.shell().isEmpty()) {
      context.put("shell", new JsonString(line.shell()));
    }
    Facts facts = Given.facts(context.build(), LIMITS);
    return CommandAllowlist.first(facts) instanceof RuleResult.Pass
        && CommandAllowlist.chained(facts) instanceof RuleResult.Pass;
  }

  /** The line with its args, as a careless executor joins them. */
  private static String text(ShellLines.Line line) {
    return line.args().isEmpty()
        ? line.command()
        : line.command() + " " + String.join(" ", line.args());
  }

  private static Callable<List<String>> run(
      Path folder, String shell, List<ShellLines.Line> lines) {
    boolean posix = POSIX.contains(shell);
    List<String> texts =
        lines.stream()
            .filter(line -> posix ? line.shell().isEmpty() : line.shell().equals(shell))
            .map(RealShellsTest::text)
            .toList();
    return () -> {
      List<RealShell.Effects> effects = new RealShell(folder, shell).run(texts);
      var faults = new ArrayList<String>();
      int ran = 0;
      for (int i = 0; i < texts.size(); i++) {
        ran += effects.get(i).ran().size();
        for (String program : effects.get(i).ran()) {
          if (ShellLines.LISTED.stream()
              .noneMatch(entry -> program.startsWith(entry + " ") || program.equals(entry))) {
            faults.add(shell + " ran " + program + " of: " + texts.get(i));
          }
        }
        for (String file : effects.get(i).wrote()) {
          if (!file.equals(ShellLines.OUTPUT)) {
            faults.add(shell + " wrote " + file + " for: " + texts.get(i));
          }
        }
      }
      System.out.printf("%s: %d lines ran %d programs%n", shell, texts.size(), ran);
      // Shells that ran nothing would prove nothing.
      assertThat(ran).isGreaterThan(texts.size() / 3);
      return faults;
    };
  }
}
