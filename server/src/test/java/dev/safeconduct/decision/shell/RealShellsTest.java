package dev.safeconduct.decision.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Given;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs random lines that a list of commands allows in real shells: none may run a program that is
 * not listed, or write a file that is not allowed (validators section 4.9). {@code make
 * test-shells} runs more of them.
 *
 * <p>Bash, dash and zsh run what is allowed without {@code shell}. Fish runs what is allowed with
 * {@code shell} fish: lines made for it, and those of the others that stay allowed when judged for
 * fish. The rest is not for fish, and the service refuses it for fish: fish ends the quotes of
 * {@code '\'} elsewhere.
 */
@Tag("slow")
class RealShellsTest {
  private static final int ALLOWED = Integer.getInteger("safeconduct.shell.lines", 1_500);

  /** Fish takes several times as long to start, so that the short run has fewer lines for it. */
  private static final int ALLOWED_FOR_FISH = ALLOWED < 10_000 ? ALLOWED / 8 : ALLOWED;

  private static final long SEED = Long.getLong("safeconduct.seed", 1);
  private static final int LEAST_OF_EACH = 8;
  private static final int PARTS = 4;
  private static final String LIMITS =
      "{'allowed_commands':[%s],'allowed_paths':['%s']}"
          .formatted("'" + String.join("','", ShellLines.LISTED) + "'", ShellLines.OUTPUT);

  private final ShellLines generator = new ShellLines(SEED);
  private final Map<String, Integer> constructs = new TreeMap<>();

  @Test
  void allowedLinesRunListedProgramsAndWriteAllowedFilesOnly(@TempDir Path folder)
      throws Exception {
    List<ShellLines.Line> lines = allowed(ALLOWED, generator::next);
    List<ShellLines.Line> forFish =
        Stream.concat(
                lines.stream()
                    .map(line -> new ShellLines.Line(line.command(), line.args(), "fish", Set.of()))
                    .filter(RealShellsTest::isAllowed),
                allowed(ALLOWED_FOR_FISH, generator::nextForFish).stream())
            .distinct()
            .toList();
    System.out.printf("Allowed lines by construct: %s%n", constructs);
    for (String construct : ShellLines.required()) {
      assertThat(constructs.getOrDefault(construct, 0))
          .as("allowed lines with: " + construct)
          .isGreaterThanOrEqualTo(LEAST_OF_EACH);
    }
    var faults = new ArrayList<String>();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      var runs = new ArrayList<Future<List<String>>>();
      for (String shell : List.of("fish", "zsh", "bash", "dash")) {
        List<String> texts =
            (shell.equals("fish") ? forFish : lines)
                .stream().map(RealShellsTest::text).distinct().toList();
        System.out.printf("%s: %d lines%n", shell, texts.size());
        int part = texts.size() / PARTS + 1;
        for (int i = 0; i < texts.size(); i += part) {
          List<String> some = texts.subList(i, Math.min(i + part, texts.size()));
          Path own = folder.resolve(shell + i);
          runs.add(threads.submit(() -> run(own, shell, some)));
        }
      }
      for (Future<List<String>> run : runs) {
        faults.addAll(run.get());
      }
    }
    assertThat(faults).isEmpty();
  }

  /** Distinct lines that rules 1 and 3 of the pack allow. */
  private List<ShellLines.Line> allowed(int count, Supplier<ShellLines.Line> next) {
    var lines = new LinkedHashMap<String, ShellLines.Line>();
    int generated = 0;
    while (lines.size() < count) {
      ShellLines.Line line = next.get();
      generated++;
      if (isAllowed(line) && lines.putIfAbsent(text(line), line) == null) {
        line.constructs().forEach(name -> constructs.merge(name, 1, Integer::sum));
      }
    }
    System.out.printf("%d lines generated (seed %d), %d allowed%n", generated, SEED, count);
    return List.copyOf(lines.values());
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

  private static List<String> run(Path folder, String shell, List<String> texts)
      throws IOException, InterruptedException {
    var real = new RealShell(folder, shell);
    List<RealShell.Effects> effects = real.run(texts);
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
    System.out.printf(
        "%s: %d lines ran %d programs; %d lines were stopped%n",
        shell, texts.size(), ran, real.stopped());
    // Shells that ran nothing would prove nothing.
    assertThat(ran).isGreaterThan(texts.size() / 3);
    assertThat(real.stopped()).isLessThan(5);
    return faults;
  }
}
