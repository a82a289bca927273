import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Runs what {@code e2e/evidence.txt} lists and writes {@code docs/evidence}: for each run the lines
 * that count and the whole log, and one page of all claims. A run that passed on these sources is not
 * repeated, so an interrupted run goes on where it stopped. Arguments: names of runs, or none for
 * all; {@code --again} repeats, {@code --page} runs nothing and only quotes the kept logs anew. Needs
 * nothing but a JDK and git.
 */
final class Evidence {
  private static final Path FOLDER = Path.of("docs/evidence");
  private static final int MOST_QUOTED = 100;
  private static final long HOURS = 4;
  private static final Pattern DOWNLOADS =
      Pattern.compile("^(Get:|Hit:|Ign:|Fetched |.*Download(ing|ed) from )");
  /** What programs say that make the run possible: stays in the log, is never quoted. */
  private static final Pattern ASIDE =
      Pattern.compile(
          "^(make(\\[\\d+])?: |mvn -|(bin|e2e|bench|packaging)/|debconf: |The following is needed"
              + "|WARNING: (A terminally deprecated|sun.misc.Unsafe|Please consider reporting))");

  /** A claim: words that stand in a file. */
  private record Claim(String file, String words) {}

  private record Run(String name, String shows, String command, Pattern quotes, List<Claim> claims) {
    Path result() {
      return FOLDER.resolve(name + ".txt");
    }
  }

  /** What a run gave: its header, then the lines that are quoted. */
  private record Result(Map<String, String> header, List<String> quoted) {
    boolean passed() {
      return "passed".equals(header.get("outcome"));
    }
  }

  public static void main(String[] args) throws Exception {
    var names = new TreeSet<>(List.of(args));
    boolean again = names.remove("--again");
    boolean pageOnly = names.remove("--page");
    List<Run> runs = runs();
    Set<String> known = runs.stream().map(Run::name).collect(Collectors.toSet());
    for (String name : names) {
      if (!known.contains(name)) {
        System.err.println(name + " is not a run of e2e/evidence.txt");
        System.exit(2);
      }
    }
    for (Run run : runs) {
      quoteAnew(run);
    }
    if (pageOnly) {
      writePage(runs);
      return;
    }
    if (!git("status", "--porcelain", "--", ".", ":!docs/evidence").isEmpty()) {
      System.err.println("Commit your changes first: evidence names the commit that it is of.");
      System.exit(2);
    }
    Files.createDirectories(FOLDER);
    boolean failed = false;
    for (Run run : runs) {
      if (names.isEmpty() || names.contains(run.name())) {
        if (!again && isCurrent(run)) {
          System.out.println(run.name() + ": passed before on these sources");
        } else {
          failed |= !make(run);
        }
        writePage(runs);
      }
    }
    System.exit(failed ? 1 : 0);
  }

  private static List<Run> runs() throws IOException {
    var runs = new ArrayList<Run>();
    String name = null;
    var values = new LinkedHashMap<String, String>();
    var claims = new ArrayList<Claim>();
    for (String line : lines(Path.of("e2e/evidence.txt"))) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (!line.startsWith(" ")) {
        add(runs, name, values, claims);
        name = line;
        values.clear();
        claims = new ArrayList<>();
        continue;
      }
      String[] pair = line.strip().split(" +", 2);
      if (pair[0].equals("claim")) {
        String[] claim = pair[1].split(" ", 2);
        claims.add(new Claim(claim[0], claim[1]));
      } else {
        values.put(pair[0], pair[1]);
      }
    }
    add(runs, name, values, claims);
    return runs;
  }

  private static void add(
      List<Run> runs, String name, Map<String, String> values, List<Claim> claims) {
    if (name != null) {
      runs.add(
          new Run(
              name,
              values.get("shows"),
              values.get("command"),
              Pattern.compile(values.get("quotes")),
              claims));
    }
  }

  /** Whether the run has passed on the sources that are checked out. */
  private static boolean isCurrent(Run run) throws IOException, InterruptedException {
    if (!Files.exists(run.result())) {
      return false;
    }
    Result result = result(run);
    return result.passed()
        && run.command().equals(result.header().get("command"))
        && process("git", "diff", "--quiet", result.header().get("commit"), "HEAD", "--", ".", ":!docs/evidence")
                .waitFor()
            == 0;
  }

  private static Result result(Run run) throws IOException {
    List<String> lines = lines(run.result());
    int gap = lines.indexOf("");
    var header = new LinkedHashMap<String, String>();
    for (String line : lines.subList(0, gap)) {
      int colon = line.indexOf(": ");
      header.put(line.substring(0, colon), line.substring(colon + 2));
    }
    return new Result(header, lines.subList(gap + 1, lines.size()));
  }

  private static boolean make(Run run) throws IOException, InterruptedException {
    System.out.println(run.name() + ": " + run.command());
    Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    Path raw = Files.createTempFile("evidence", ".log");
    Process process =
        new ProcessBuilder("bash", "-c", run.command())
            .redirectErrorStream(true)
            .redirectOutput(raw.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .start();
    boolean ended = process.waitFor(HOURS, TimeUnit.HOURS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
    boolean passed = ended && process.exitValue() == 0;
    List<String> log = cleaned(Files.readString(raw, UTF_8));
    Files.delete(raw);
    var text = new ArrayList<String>();
    text.add("outcome: " + (passed ? "passed" : "failed"));
    text.add("command: " + run.command());
    text.add("date: " + begun);
    text.add("seconds: " + ChronoUnit.SECONDS.between(begun, Instant.now()));
    text.add("commit: " + git("rev-parse", "--short=12", "HEAD"));
    text.add("machine: " + machine());
    text.add("");
    text.addAll(quoted(run, log));
    Files.write(run.result(), text);
    Files.write(FOLDER.resolve(run.name() + ".log.gz"), compressed(String.join("\n", log) + "\n"));
    System.out.println("  " + (passed ? "passed" : "FAILED") + " after " + text.get(3).substring(9) + " s");
    return passed;
  }

  private static List<String> quoted(Run run, List<String> log) {
    List<String> quoted =
        log.stream()
            .filter(line -> !line.isBlank() && !ASIDE.matcher(line).find())
            .filter(line -> run.quotes().matcher(line).find())
            .toList();
    return quoted.subList(Math.max(0, quoted.size() - MOST_QUOTED), quoted.size());
  }

  /** The lines of a kept run by today's expression. */
  private static void quoteAnew(Run run) throws IOException {
    if (!Files.exists(run.result())) {
      return;
    }
    List<String> log;
    try (var gzip = new GZIPInputStream(Files.newInputStream(FOLDER.resolve(run.name() + ".log.gz")))) {
      log = new String(gzip.readAllBytes(), UTF_8).lines().toList();
    }
    List<String> lines = lines(run.result());
    var text = new ArrayList<>(lines.subList(0, lines.indexOf("") + 1));
    text.addAll(quoted(run, log));
    Files.write(run.result(), text);
  }

  /** The log without colours, downloads and the places of this checkout. */
  private static List<String> cleaned(String log) {
    String here = Path.of("").toAbsolutePath().toString();
    return log.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "")
        .replace(here, ".")
        .replace(System.getProperty("user.home") + "/", "~/")
        .replace('\r', '\n')
        .lines()
        .filter(line -> !DOWNLOADS.matcher(line).find())
        .toList();
  }

  private static byte[] compressed(String text) {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text.getBytes(UTF_8));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return bytes.toByteArray();
  }

  private static String machine() throws IOException {
    String model =
        lines(Path.of("/proc/cpuinfo")).stream()
            .filter(line -> line.startsWith("model name"))
            .map(line -> line.substring(line.indexOf(": ") + 2))
            .findFirst()
            .orElse(System.getProperty("os.arch"));
    long gib = (Long.parseLong(lines(Path.of("/proc/meminfo")).getFirst().replaceAll("\\D", "")) + (1 << 19)) >> 20;
    return "%d cores, %s, %d GiB, Linux %s"
        .formatted(Runtime.getRuntime().availableProcessors(), model, gib, System.getProperty("os.version").split("-")[0]);
  }

  private static void writePage(List<Run> runs) throws IOException {
    var page = new StringBuilder();
    page.append(
        """
        # Evidence

        `make evidence` runs everything below and writes this page. `make evidence RUNS="crash soak"` runs some. Each
        run has its lines that count (`.txt`) and its whole log (`.log.gz`) beside this page. A run is of the commit that
        it names; what has passed on the same sources is not repeated.

        ## Claims

        | where | claim | runs |
        |---|---|---|
        """);
    var backed = new LinkedHashMap<Claim, List<Run>>();
    for (Run run : runs) {
      for (Claim claim : run.claims()) {
        backed.computeIfAbsent(claim, c -> new ArrayList<>()).add(run);
      }
    }
    for (var entry : backed.entrySet()) {
      page.append("| [%s](%s) | %s | ".formatted(
          entry.getKey().file(),
          FOLDER.relativize(Path.of(entry.getKey().file())),
          entry.getKey().words()));
      page.append(
          entry.getValue().stream()
              .map(run -> "[%s](#%s) %s".formatted(run.name(), run.name(), outcome(run)))
              .collect(Collectors.joining(", ")));
      page.append(" |\n");
    }
    page.append("\n## Runs\n\n| run | shows | outcome | date | minutes | commit |\n|---|---|---|---|---|---|\n");
    for (Run run : runs) {
      Result result = Files.exists(run.result()) ? result(run) : null;
      page.append(
          result == null
              ? "| %s | %s | not run | | | |\n".formatted(run.name(), run.shows())
              : "| [%s](#%s) | %s | %s | %s | %.1f | %s |\n"
                  .formatted(
                      run.name(),
                      run.name(),
                      run.shows(),
                      outcome(run),
                      result.header().get("date").substring(0, 10),
                      Integer.parseInt(result.header().get("seconds")) / 60.0,
                      result.header().get("commit")));
    }
    for (Run run : runs) {
      if (Files.exists(run.result())) {
        Result result = result(run);
        page.append(
            "\n## %s\n\n`%s` on %s ([log](%s.log.gz))\n\n```\n%s\n```\n"
                .formatted(
                    run.name(),
                    result.header().get("command"),
                    result.header().get("machine"),
                    run.name(),
                    String.join("\n", result.quoted())));
      }
    }
    Files.writeString(FOLDER.resolve("README.md"), page);
  }

  private static String outcome(Run run) {
    try {
      return Files.exists(run.result()) ? result(run).header().get("outcome") : "not run";
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.readAllLines(file, UTF_8);
  }

  private static Process process(String... command) throws IOException {
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String git(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Process process = process(command.toArray(String[]::new));
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    if (process.waitFor() != 0) {
      throw new IOException("git: " + printed);
    }
    return printed;
  }
}
