package dev.safeconduct.site;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** What the README claims is backed by a run of {@code make evidence} that passed. */
final class EvidenceTest {
  private static final Path README = Path.of("README.md");
  private static final Path RUNS = Path.of("e2e/evidence.txt");
  private static final Path FOLDER = Path.of("docs/evidence");
  private static final Path GUIDES = Path.of("docs");

  /** What somebody measured, in a guide; limits and settings are not. */
  private static final Pattern MEASURED =
      Pattern.compile(
          "(?i)(?<!not )\\bmeasured (by|on)\\b|\\bmedian\\b|\\bp99\\b|\\bms of processor time\\b"
              + "|\\d (decisions |calls |requests )?a second\\b|\\bstays near \\d");

  private static final Pattern BULLET = Pattern.compile("(?m)^- (.*(?:\n  .*)*)");

  @Test
  void everyClaimOfTheReadmeHasARunThatPassed() throws IOException {
    String readme = Files.readString(README);
    String promised = between(readme, "## What you get\n", "\n## ");
    Map<String, List<String>> claims = claims();
    Matcher bullet = BULLET.matcher(promised);
    int bullets = 0;
    while (bullet.find()) {
      bullets++;
      String said = plain(bullet.group(1));
      List<String> runs =
          claims.entrySet().stream()
              .filter(claim -> claim.getKey().startsWith(README + " "))
              .filter(
                  claim -> said.contains(claim.getKey().substring(README.toString().length() + 1)))
              .flatMap(claim -> claim.getValue().stream())
              .toList();
      assertThat(runs).as("runs of %s for: %s", RUNS, said).isNotEmpty();
      assertThat(runs).as("a run in %s for: %s", FOLDER, said).anyMatch(EvidenceTest::isMade);
    }
    assertThat(bullets).isGreaterThan(10);
  }

  @Test
  void whatAGuideSaysWasMeasuredIsBackedByARun() throws IOException {
    List<Path> guides;
    try (Stream<Path> files = Files.list(GUIDES)) {
      guides = files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
    var found = new ArrayList<String>();
    for (Path guide : guides) {
      List<String> claims =
          claims().keySet().stream()
              .filter(claim -> claim.startsWith(guide + " "))
              .map(claim -> claim.substring(guide.toString().length() + 1))
              .toList();
      for (String paragraph : Files.readString(guide).split("\n\n|\n(?=- )", -1)) {
        String said = plain(paragraph);
        if (!said.startsWith("|") && MEASURED.matcher(said).find()) {
          found.add(said);
          assertThat(claims).as("%s, a claim for: %s", guide, said).anyMatch(said::contains);
        }
      }
    }
    assertThat(found).hasSizeGreaterThan(2);
  }

  @Test
  void everyClaimStandsInItsFile() throws IOException {
    for (String claim : claims().keySet()) {
      String[] place = claim.split(" ", 2);
      assertThat(plain(Files.readString(Path.of(place[0])))).as(place[0]).contains(place[1]);
    }
  }

  @Test
  void everyRunThatIsKeptPassedAndIsOnThePage() throws IOException {
    String page = Files.readString(FOLDER.resolve("README.md"));
    List<Path> kept;
    try (Stream<Path> files = Files.list(FOLDER)) {
      kept = files.filter(file -> file.toString().endsWith(".txt")).toList();
    }
    assertThat(kept).isNotEmpty();
    for (Path result : kept) {
      String name = result.getFileName().toString().replace(".txt", "");
      assertThat(runs()).contains(name);
      String text = Files.readString(result);
      assertThat(text).as(name).startsWith("outcome: passed\n");
      assertThat(text.substring(text.indexOf("\n\n"))).as("quoted of %s", name).isNotBlank();
      assertThat(page).contains("\n## " + name + "\n");
      try (var log = new GZIPInputStream(Files.newInputStream(FOLDER.resolve(name + ".log.gz")))) {
        assertThat(new String(log.readAllBytes(), UTF_8)).as(name).isNotBlank();
      }
    }
  }

  /** Every test is a part of the run {@code test}, this one too. */
  private static boolean isMade(String run) {
    return run.equals("test") || Files.exists(FOLDER.resolve(run + ".txt"));
  }

  /** Markdown as a reader sees it: without emphasis, and a link as its words. */
  private static String plain(String markdown) {
    return markdown
        .replace("*", "")
        .replaceAll("\\[([^]]+)]\\([^)]*\\)", "$1")
        .replaceAll("\\s+", " ");
  }

  private static List<String> runs() throws IOException {
    return Files.readAllLines(RUNS).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#") && !line.startsWith(" "))
        .toList();
  }

  /** The runs by the claim that they back: a file and words that stand in it. */
  private static Map<String, List<String>> claims() throws IOException {
    var claims = new LinkedHashMap<String, List<String>>();
    String run = null;
    for (String line : Files.readAllLines(RUNS)) {
      if (line.startsWith("  claim")) {
        claims.computeIfAbsent(line.strip().split(" +", 2)[1], _ -> new ArrayList<>()).add(run);
      } else if (!line.isBlank() && !line.startsWith("#") && !line.startsWith(" ")) {
        run = line;
      }
    }
    return claims;
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }
}
