package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.config.Env;
import dev.safeconduct.testkit.Calls;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is shown once is kept before it counts, whenever a first start ends. */
final class FirstStartTest {
  private static final Pattern KEY = Pattern.compile("API key +(\\S+)");
  private static final Pattern TOKEN = Pattern.compile("admin token +(\\S+)");

  @TempDir private Path folder;

  private Map<String, String> settings() {
    return Map.of("PORT", "0", "DRAIN_SECONDS", "0", "DATA_DIR", folder.toString());
  }

  private ServerConfig config() {
    return ServerConfig.from(new Env(settings()));
  }

  private Application started() throws Exception {
    return Application.start(config(), InstantSource.system());
  }

  private static String in(String text, Pattern pattern) {
    Matcher found = pattern.matcher(text);
    assertThat(found.find()).as(text).isTrue();
    String one = found.group(1);
    assertThat(found.find()).as(text).isFalse();
    return one;
  }

  /** The file names what the service takes, and one link. */
  private void holdsFor(Application service) throws Exception {
    Path file = folder.resolve("first-run.txt");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    String text = Files.readString(file);
    in(text, Pattern.compile("owner's password: (\\S+)"));
    try (var client = HttpClient.newHttpClient()) {
      var calls = new Calls(client, URI.create("http://127.0.0.1:" + service.port() + "/"));
      assertThat(calls.with("X-API-Key", in(text, KEY)).get("/api/audit").status()).isEqualTo(200);
      assertThat(
              calls
                  .with("Authorization", "Bearer " + in(text, TOKEN))
                  .get("/api/orgs")
                  .json()
                  .array("orgs")
                  .orElseThrow())
          .hasSize(1);
    }
  }

  /** Nobody was shown anything, as after a kill; the next start leaves what the first one kept. */
  @Test
  void aStartThatEndsBeforeItShowsAnythingHasKeptIt() throws Exception {
    started().close();
    try (Application second = started()) {
      assertThat(second.firstRun().made()).isEmpty();
      holdsFor(second);
      assertThat(shown(second, false)).contains("first-run.txt is from an earlier start");
    }
  }

  /** The file was written and nothing stored: the next start makes all of it anew. */
  @Test
  void aFileOfAStartThatStoredNothingIsReplaced() throws Exception {
    Files.writeString(
        folder.resolve("first-run.txt"), "  API key       sck_dead\n  admin token   sca_dead\n");
    try (Application service = started()) {
      holdsFor(service);
      assertThat(Files.readString(folder.resolve("first-run.txt"))).doesNotContain("dead");
    }
  }

  /** The organization was stored and its owner not: the next start adds the owner's link. */
  @Test
  void anOwnerMadeLaterIsAddedToWhatIsKept() throws Exception {
    try (Platform platform = Platform.open(config(), InstantSource.system())) {
      FirstRun.Result begun = new FirstRun(platform).begin(AccessModule.of(platform));
      assertThat(begun.made()).isPresent();
    }
    try (Application service = started()) {
      assertThat(service.firstRun().ownerLink()).isPresent();
      assertThat(service.firstRun().made()).isEmpty();
      holdsFor(service);
      assertThat(shown(service, false)).contains("the owner's password").doesNotContain("API key");
    }
  }

  /** The token of the setting was the admin's, so the first start made none. */
  @Test
  void aLaterStartNamesTheNewAdminTokenOnly() throws Exception {
    var settings = new HashMap<>(settings());
    settings.put("ADMIN_TOKEN", "an admin token of the tests, long enough");
    Application.start(ServerConfig.from(new Env(settings)), InstantSource.system()).close();
    try (Application service = started()) {
      assertThat(service.firstRun().made()).isEmpty();
      assertThat(shown(service, false)).contains("it contains the admin token.");
    }
  }

  @Test
  void aTerminalShowsItAndNoFileStays() throws Exception {
    try (Application service = started()) {
      holdsFor(service);
      String text = Files.readString(folder.resolve("first-run.txt"));
      assertThat(shown(service, true)).contains(text);
      assertThat(folder.resolve("first-run.txt")).doesNotExist();
    }
  }

  private String shown(Application service, boolean terminal) {
    var bytes = new ByteArrayOutputStream();
    StartupBanner.show(
        config(),
        service.firstRun(),
        terminal,
        new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
