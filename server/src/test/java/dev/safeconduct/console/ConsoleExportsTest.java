package dev.safeconduct.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports are begun in the console, watched, and leave it whole and signed. */
@Tag("slow")
final class ConsoleExportsTest {
  private static final Pattern DONE =
      Pattern.compile("href=\"(/console/exports/(exp_[0-9a-f]+))/records\"");

  private final MovableClock clock = new MovableClock();

  @TempDir Path folder;

  private static Reply begin(Calls person, Map<String, String> fields) {
    String csrf = person.get("/api/auth/me").string("csrf_token");
    return Pages.post(person, "/console/exports", Pages.form(csrf, fields));
  }

  /** The address of the newest export, once it is written. */
  private static String written(Calls person) {
    while (true) {
      String page = person.get("/console/exports").text();
      Matcher done = DONE.matcher(page);
      if (!page.contains("<progress") && done.find()) {
        return done.group(1);
      }
      assertThat(page).doesNotContain("✕ failed");
    }
  }

  private TestService start() {
    return TestService.start(folder, Map.of(), clock);
  }

  @Test
  void whatTheListShowsIsExportedWithItsManifest() throws Exception {
    try (TestService service = TestService.start(folder, Map.of());
        Chromium.Profile profile = Chromium.profile()) {
      String email = ConsoleRig.owner(service);
      Calls person = service.signedIn(email);
      String agent = ConsoleRig.agent(service, "Exported");
      String other = ConsoleRig.agent(service, "Not exported");
      for (int i = 0; i < 5; i++) {
        ConsoleRig.asks(service, agent, "git log -n " + i);
        ConsoleRig.asks(service, other, "git log -n " + i);
      }
      Page page = ConsoleRig.enter(profile, ConsoleRig.session(service, email));
      page.navigate(service.base() + "console/decisions?agent_id=" + agent);
      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Export these")).click();
      assertThat(page.locator("#exports tbody tr")).hasCount(1);
      assertThat(page.locator("#exports tbody")).containsText("✓ complete"); // without a reload
      assertThat(page.locator("#exports tbody")).containsText("5 records");

      String path = written(person);
      Reply records = person.get(path + "/records");
      assertThat(records.header("Content-Disposition").orElse("")).contains("attachment");
      assertThat(records.text())
          .isEqualTo(
              service.owner().get("/api/audit/export?kind=decision&agent_id=" + agent).text());
      Reply manifest = person.get(path + "/manifest");
      assertThat(manifest.text())
          .contains("\nrecords 5\n", "org_id=" + service.org() + " agent_id=" + agent);
      Path file = Files.write(folder.resolve("export.ndjson"), records.body());
      Path signed = Files.write(folder.resolve("export.ndjson.manifest"), manifest.body());
      Path keys =
          Files.writeString(folder.resolve("jwks.json"), service.nobody().get("/jwks.json").text());
      assertThat(CommandRun.verifyReceipt(signed, keys).status()).isZero();
      Files.writeString(file, records.text().replace("git log -n 4", "git log -n 5"));
      assertThat(CommandRun.verifyReceipt(signed, keys).status()).isEqualTo(1);
      assertThat(profile.complaints()).isEmpty();
    }
  }

  @Test
  void theListIsNarrowedToATime() throws Exception {
    try (TestService service = start();
        Chromium.Profile profile = Chromium.profile()) {
      String email = ConsoleRig.owner(service);
      String agent = ConsoleRig.agent(service, "Of a time");
      ConsoleRig.asks(service, agent, "git log -n 1");
      clock.advance(Duration.ofMinutes(5));
      String minute = clock.instant().truncatedTo(ChronoUnit.MINUTES).toString().substring(0, 16);
      ConsoleRig.asks(service, agent, "git log -n 2");
      Page page = ConsoleRig.enter(profile, ConsoleRig.session(service, email));
      page.navigate(service.base() + "console/decisions");
      assertThat(page.locator("ul.live > li")).hasCount(2);
      page.getByText("Exact times").click();
      page.getByLabel("From (UTC)").fill(minute);
      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Filter")).click();
      assertThat(page.locator("ul.live > li")).hasCount(1);
      assertThat(page.getByLabel("From (UTC)")).hasValue(minute);
      page.getByLabel("Until (UTC)").fill(minute);
      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Filter")).click();
      assertThat(page.locator("main")).containsText("No matching decisions");
      page.getByLabel("From (UTC)").fill("");
      page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Filter")).click();
      assertThat(page.locator("ul.live > li")).hasCount(1);
      assertThat(profile.complaints()).isEmpty();
    }
  }

  @Test
  void anExportGoesOnAfterARestart() throws Exception {
    String path;
    String whole;
    Path kept = folder.resolve("exports");
    try (TestService service = start()) {
      Calls person = service.operator();
      String agent = ConsoleRig.agent(service, "Exported");
      // A checkpoint serves for a second; an export holds what came after it, too.
      assertThat(service.nobody().get("/api/audit/log/checkpoint").status()).isEqualTo(200);
      for (int i = 0; i < 5; i++) {
        ConsoleRig.asks(service, agent, "git log -n " + i);
      }
      begin(person, Map.of("format", "csv"));
      path = written(person);
      whole = person.get(path + "/records").text();
      assertThat(whole).contains("git log -n 4");
    }
    // As a process leaves it that ends in the middle of a line.
    String id = path.substring(path.lastIndexOf('/') + 1);
    Files.writeString(kept.resolve(id + ".part"), whole.substring(0, whole.length() / 2));
    Files.delete(kept.resolve(id + ".csv"));
    Files.delete(kept.resolve(id + ".manifest"));
    Path state = kept.resolve(id + ".json");
    Files.writeString(state, Files.readString(state).replace("\"DONE\"", "\"RUNNING\""));
    try (TestService service = start()) {
      Calls person = service.signedIn(TestService.OPERATOR);
      assertThat(written(person)).isEqualTo(path);
      assertThat(person.get(path + "/records").text()).isEqualTo(whole);
      assertThat(person.get(path + "/manifest").text()).contains("safeconduct-export/v1");
    }
  }

  @Test
  void exportsAreOfOneOrganizationFewAndShortLived() throws Exception {
    try (TestService service = start()) {
      Calls person = service.operator();
      assertThat(begin(person, Map.of("format", "xml")).status()).isEqualTo(400);
      assertThat(begin(person, Map.of("format", "csv", "allow", "maybe")).status()).isEqualTo(400);
      for (int i = 0; i < 5; i++) {
        assertThat(begin(person, Map.of("format", "ndjson")).status()).isEqualTo(303);
      }
      assertThat(begin(person, Map.of("format", "ndjson")).text()).contains("remove one first");
      String path = written(person);

      String org = service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
      Calls stranger = service.member(org, "stranger@example.com", "owner");
      assertThat(stranger.get("/console/exports").text()).doesNotContain("exp_");
      for (String part : List.of("/records", "/manifest")) {
        assertThat(stranger.get(path + part).status()).isEqualTo(404);
        assertThat(person.get(path + part).status()).isEqualTo(200);
      }
      String csrf = stranger.get("/api/auth/me").string("csrf_token");
      assertThat(Pages.post(stranger, path + "/remove", Pages.form(csrf, Map.of())).status())
          .isEqualTo(404);
      csrf = person.get("/api/auth/me").string("csrf_token");
      assertThat(Pages.post(person, path + "/remove", Pages.form(csrf, Map.of())).status())
          .isEqualTo(303);
      assertThat(person.get(path + "/records").status()).isEqualTo(404);
      assertThat(files(path.substring(path.lastIndexOf('/') + 1))).isEmpty();

      clock.advance(Duration.ofHours(25));
      Calls later = service.signedIn(TestService.OPERATOR);
      begin(later, Map.of("format", "csv"));
      String last = written(later);
      assertThat(files("exp_"))
          .allSatisfy(file -> assertThat(file).contains(last.substring(last.lastIndexOf('/') + 1)));
    }
  }

  private List<String> files(String begins) throws Exception {
    try (Stream<Path> files = Files.list(folder.resolve("exports"))) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(name -> name.startsWith(begins))
          .toList();
    }
  }
}
