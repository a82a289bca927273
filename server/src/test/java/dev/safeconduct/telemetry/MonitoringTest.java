package dev.safeconduct.telemetry;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.StreamSink;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a node exposes is what the guide, the dashboard and the alerts name. */
final class MonitoringTest {
  private static final Path FOLDER = Path.of("packaging", "observability");
  private static final Path GUIDE = Path.of("docs", "monitoring.md");
  private static final Pattern METRIC =
      Pattern.compile("\\b(?:safeconduct|http_server|jvm|process)_[a-z0-9_]+");

  /** A node exposes them only with TLS or with SQLite. */
  private static final Set<String> SOMETIMES =
      Set.of(
          "safeconduct_tls_certificate_expiry_timestamp_seconds", "safeconduct_sqlite_size_bytes");

  private static String scrape(EachStore store) {
    var settings = new HashMap<>(store.settings());
    try (var sink = StreamSink.Http.start(_ -> new StreamSink.Answer(200, ""));
        TestService service = TestService.start(streamed(settings, sink.address()))) {
      String agent = Questions.hosted(service, 9);
      service.owner().post(COMMAND, Questions.command(agent, "ls"));
      return service.admin().get("/metrics").text();
    }
  }

  private static Map<String, String> streamed(Map<String, String> settings, String address) {
    settings.put("AUDIT_STREAM", "siem");
    settings.put("AUDIT_STREAM_SIEM_URL", "http://" + address);
    return settings;
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void theGuidesTableIsWhatANodeExposes(EachStore store) throws IOException {
    String scrape = scrape(store);
    var exposed = new TreeMap<String, String>();
    Pattern.compile("(?m)^# TYPE ((?:safeconduct|http_server)_\\S+) (\\S+)$")
        .matcher(scrape)
        .results()
        .forEach(line ->
            exposed.put(line.group(1), line.group(2) + " " + labels(scrape, line.group(1))));
    var documented = new TreeMap<String, String>();
    Pattern.compile("(?m)^\\| `([a-z_]+)` \\| (counter|gauge|histogram|summary) \\| ([^|]*) \\|")
        .matcher(Files.readString(GUIDE))
        .results()
        .forEach(row ->
            documented.put(
                row.group(1),
                row.group(2)
                    + " "
                    + new TreeSet<>(
                        List.of(row.group(3).replace("`", "").strip().split(", ", -1)))));
    for (String name : SOMETIMES) {
      assertThat(documented).containsKey(name);
      if (!exposed.containsKey(name)) {
        documented.remove(name);
      }
    }
    assertThat(exposed).isEqualTo(documented);
    assertThat(scrape.lines().filter(line -> line.startsWith("# HELP ")).toList())
        .as("each with a text")
        .allMatch(line -> line.split(" ", 4).length == 4);
  }

  private static Set<String> labels(String scrape, String metric) {
    var names = new TreeSet<String>();
    Pattern.compile("(?m)^" + metric + "(?:_bucket|_sum|_count)?\\{([^}]*)}")
        .matcher(scrape)
        .results()
        .forEach(sample ->
            Pattern.compile("(\\w+)=\"")
                .matcher(sample.group(1))
                .results()
                .map(label -> label.group(1))
                .filter(name -> !name.equals("le"))
                .forEach(names::add));
    return names.isEmpty() ? Set.of("") : names;
  }

  @Test
  void theDashboardAndTheAlertsNameMetricsOfANode() throws Exception {
    String scrape = scrape(EachStore.SQLITE);
    Set<String> exposed =
        Pattern.compile("(?m)^([a-z_]+)(?:\\{.*)? \\S+$")
            .matcher(scrape)
            .results()
            .map(sample -> sample.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    for (String file : List.of("dashboard.json", "alerts.yml")) {
      Set<String> named =
          METRIC
              .matcher(Files.readString(FOLDER.resolve(file)))
              .results()
              .map(found -> found.group())
              .filter(name -> !SOMETIMES.contains(name))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(named).as(file).hasSizeGreaterThan(20).isSubsetOf(exposed);
    }
    Json.parse(Files.readString(FOLDER.resolve("dashboard.json")));
  }

  /** A node serves the section at the address that the alert names, below the host. */
  @Test
  void everyAlertHasItsSectionOfTheGuideAndATest() throws IOException {
    String rules = Files.readString(FOLDER.resolve("alerts.yml"));
    String tests = Files.readString(FOLDER.resolve("alerts.test.yml"));
    var alerts = new ArrayList<String>();
    Pattern.compile("alert: (\\w+)").matcher(rules).results().forEach(a -> alerts.add(a.group(1)));
    assertThat(alerts).hasSizeGreaterThan(20).doesNotHaveDuplicates();
    String guide = Files.readString(GUIDE);
    for (String alert : alerts) {
      assertThat(guide).containsPattern("(?m)^### " + alert + "$");
      assertThat(tests).contains("\"" + alert + "\"");
    }
    assertThat(Pattern.compile("(?m)^### (Safeconduct\\w+)$").matcher(guide).results())
        .hasSize(alerts.size());
    var named = new ArrayList<String>();
    try (TestService service = TestService.start()) {
      Pattern.compile("runbook_url: \"https://safeconduct\\.example(/\\S+)#(\\S+)\"")
          .matcher(rules)
          .results()
          .filter(url ->
              service.nobody().get(url.group(1)).text().contains("<h3 id=\"" + url.group(2) + "\""))
          .forEach(url -> named.add(url.group(2)));
    }
    assertThat(named)
        .containsExactlyElementsOf(
            alerts.stream().map(alert -> alert.toLowerCase(Locale.ROOT)).toList());
  }
}
