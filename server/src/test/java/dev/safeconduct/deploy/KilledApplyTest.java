package dev.safeconduct.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service that is killed while it applies files has applied all of them or none. */
final class KilledApplyTest {
  private static final int PASSPORTS = 200;

  /** What the transaction has written to the disk when the service is killed. */
  private static final long WRITTEN = 64 << 10;

  @TempDir private Path data;

  @Test
  @Timeout(120)
  void anApplyThatIsKilledHasWrittenEverythingOrNothing() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      String org;
      try (var server = new ServerProcess(data, Map.of())) {
        server.awaitAnswering();
        Calls admin = server.admin(client);
        org = admin.post("/api/orgs", "{\"name\": \"Works\"}").string("org_id");
        JsonObject files = files(org);
        long before = size();
        Thread apply =
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    admin.post("/api/apply", files);
                  } catch (UncheckedIOException _) {
                    // The service was killed.
                  }
                });
        while (apply.isAlive() && size() < before + WRITTEN) {
          Thread.onSpinWait();
        }
        server.kill();
        assertThat(server.exitStatus()).as("killed").isEqualTo(128 + 9);
        apply.join();
      }
      // Another process is not needed to look at what the killed one left, and takes longer.
      try (TestService service = TestService.start(data, Map.of())) {
        Calls admin = service.admin();
        boolean applied =
            Questions.records(admin, "kind=config&org_id=" + org)
                .toString()
                .contains("files_applied");
        assertThat(passports(admin, org)).isEqualTo(applied ? PASSPORTS : 0);
        assertThat(Questions.records(admin, "kind=passport_issued&org_id=" + org).size() > 0)
            .isEqualTo(applied);
        assertThat(admin.post("/api/apply", files(org)).json().isTrue("changed"))
            .isNotEqualTo(applied);
        assertThat(passports(admin, org)).isEqualTo(PASSPORTS);
      }
    }
  }

  private static int passports(Calls admin, String org) {
    return admin
        .get("/api/resources?organization=" + org)
        .json()
        .array("resources")
        .orElseThrow()
        .size();
  }

  private static JsonObject files(String org) {
    var resources = new ArrayList<JsonValue>();
    for (int i = 0; i < PASSPORTS; i++) {
      resources.add(
          Calls.json("{'kind': 'Passport', 'slug': 'bot-" + i + "', 'name': 'Bot " + i + "'}"));
    }
    return JsonObject.builder()
        .put("organization", org)
        .put("owner", "ours")
        .put("resources", new JsonArray(resources))
        .build();
  }

  /** The size of the database's files. */
  private long size() {
    try (Stream<Path> files = Files.list(data)) {
      long size = 0;
      for (Path each : files.filter(file -> file.toString().contains(".db")).toList()) {
        size += Files.size(each);
      }
      return size;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
