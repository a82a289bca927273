package dev.safeconduct.audit;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.app.KeyCheck;
import dev.safeconduct.audit.verify.Fsck;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contents go for good, and the log goes on to verify. */
@Timeout(120)
final class ErasureTest {
  private static final String SECRET = "a-word-nobody-may-find-again";

  /** A data folder in which something was erased as it should be, and places in its log. */
  @TempDir static Path soundFolder;

  private static long kept;
  private static long erased;

  @TempDir Path folder;

  private final MovableClock clock = new MovableClock();

  /** A service on a store that can be looked into from outside. */
  private record Opened(TestService service, StoreConfig store) implements AutoCloseable {
    Fsck.Report check(String... seen) {
      return check(store, seen);
    }

    static Fsck.Report check(StoreConfig store, String... seen) {
      try (LogReader reader = LogReader.open(store)) {
        return Fsck.run(
            reader.log(), new KeyCheck(reader.keys(), Ed25519.fastest()), List.of(seen));
      }
    }

    @Override
    public void close() {
      service.close();
    }
  }

  private Opened open(EachStore kind) {
    var settings = new HashMap<String, String>();
    StoreConfig store = StoreConfig.sqlite(folder);
    if (kind == EachStore.POSTGRES) {
      String url = PostgresServer.shared().freshDatabase();
      settings.put("DATABASE_URL", url);
      settings.put("SAFECONDUCT_MASTER_KEY", "a master key of the tests, long enough");
      store = StoreConfig.postgres(url);
    }
    return new Opened(TestService.start(folder, settings, clock), store);
  }

  @BeforeAll
  static void makeSound() {
    try (TestService service = TestService.start(soundFolder, Map.of())) {
      String agent = Questions.hosted(service, 5);
      kept = place(service, asked(service, agent, "ls"));
      String id = asked(service, agent, "ls 2");
      erased = place(service, id);
      erase(service, "/" + id + "?reason=drill");
      asked(service, agent, "ls 3");
    }
  }

  private static String asked(TestService service, String agent, String command) {
    Reply reply = service.owner().post(COMMAND, Questions.command(agent, command));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.string("decision_id");
  }

  private static Reply erase(TestService service, String what) {
    Reply reply = service.admin().delete("/api/audit" + what);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }

  @ParameterizedTest
  @EnumSource
  void anErasedAgentIsGoneAndTheLogIsSound(EachStore kind) throws Exception {
    try (Opened opened = open(kind)) {
      TestService service = opened.service();
      String agent = Questions.hosted(service, 5);
      String other = Questions.hosted(service, 5);
      String first = asked(service, agent, "ls " + SECRET);
      String theirs = asked(service, other, "ls");
      for (int i = 0; i < 4; i++) {
        asked(service, agent, "ls " + i);
      }
      String earlier = service.owner().get("/api/audit/checkpoint").text();
      Reply proofBefore = service.owner().get("/api/audit/" + first + "/proof");
      String idempotent = "{\"context\": {\"agent_id\": \"" + agent + "\", \"command\": \"ls\"}}";
      Calls once = service.owner().with("Idempotency-Key", "once");
      String replayed = once.post(COMMAND, idempotent).string("decision_id");

      Reply gone = erase(service, "?agent_id=" + agent + "&kind=decision&reason=gone");
      assertThat(Questions.number(gone.json(), "erased")).isEqualTo(6);
      assertThat(gone.json().isTrue("more")).isFalse();
      JsonObject stub = service.owner().get("/api/audit/" + first).json();
      assertThat(stub.names())
          .containsExactlyInAnyOrder(
              "record_id", "log_index", "kind", "org_id", "at", "erased", "leaf_hash");
      assertThat(service.owner().get("/api/decisions/" + first).status()).isEqualTo(410);
      assertThat(service.owner().get("/api/decisions/" + theirs).status()).isEqualTo(200);
      assertThat(service.owner().get("/api/audit?limit=200").text()).doesNotContain(SECRET);
      assertThat(service.owner().get("/api/audit/" + first + "/proof").string("leaf_hash"))
          .isEqualTo(proofBefore.string("leaf_hash"));
      // A retry is judged afresh: what it would repeat is gone.
      Reply again = once.post(COMMAND, idempotent);
      assertThat(again.string("decision_id")).isNotEqualTo(replayed);

      Fsck.Report report = opened.check(earlier);
      assertThat(report.faults()).isEmpty();
      assertThat(report.erased()).isEqualTo(6);
      JsonValue told = Questions.records(service.owner(), "kind=erasure").get(0);
      JsonObject body = ((JsonObject) told).object("body").orElseThrow();
      assertThat(body.string("reason")).contains("gone");
      assertThat(body.toString()).doesNotContain(agent);
      // Nothing more to do, and the record of it stays whatever is asked for.
      assertThat(
              Questions.number(
                  erase(service, "?to=2999-01-01T00:00:00Z&reason=all").json(), "erased"))
          .isPositive();
      assertThat(Questions.records(service.owner(), "kind=erasure").size()).isEqualTo(2);
      assertThat(opened.check(earlier).faults()).isEmpty();
      String record = ((JsonObject) told).string("record_id").orElseThrow();
      assertThat(service.admin().delete("/api/audit/" + record + "?reason=no").status())
          .isEqualTo(409);
    }
  }

  /** Not a byte of it is left in the file. */
  @Test
  void whatIsErasedIsWrittenOver() throws Exception {
    try (Opened opened = open(EachStore.SQLITE)) {
      String agent = Questions.hosted(opened.service(), 5);
      asked(opened.service(), agent, "ls " + SECRET);
      for (int i = 0; i < 3; i++) {
        asked(opened.service(), agent, "ls " + i);
      }
      erase(opened.service(), "?agent_id=" + agent + "&reason=gone");
      // Within a second or so, when no reader holds the write-ahead log.
      while (holds("safeconduct.db") || holds("safeconduct.db-wal")) {
        assertThat(opened.service().nobody().get("/healthz").status()).isEqualTo(200);
      }
    }
  }

  private boolean holds(String file) throws IOException {
    Path path = folder.resolve(file);
    return Files.exists(path)
        && new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1).contains(SECRET);
  }

  /** Who can write to the database cannot call something erased that was not. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE audit SET agent = NULL, policy = NULL, allow = NULL, code = NULL, body = x'',"
            + " signature = x'', details = x'', salt = x'' WHERE log_index = KEPT",
        "UPDATE audit SET at_ms = at_ms + 1 WHERE log_index = ERASED",
        "UPDATE audit SET org = 'org_other' WHERE log_index = ERASED",
        "UPDATE audit SET kind = 'login' WHERE log_index = ERASED",
        "UPDATE audit SET record_id = x'019aa5b0c7e07a1b8c2d000000000001' WHERE log_index = ERASED",
        "UPDATE audit SET agent = 'ap_somebody' WHERE log_index = ERASED",
        "UPDATE audit SET body = x'7b7d' WHERE log_index = ERASED",
        "UPDATE audit SET commitment = zeroblob(32) WHERE log_index = ERASED",
        "UPDATE audit SET salt = zeroblob(16) WHERE log_index = ERASED",
        "DELETE FROM audit WHERE log_index = ERASED",
        "DELETE FROM audit WHERE kind = 'erasure'"
      })
  void aFalseErasureIsFound(String sql) throws Exception {
    for (String file : List.of("safeconduct.db", "safeconduct.db-wal")) {
      Files.copy(soundFolder.resolve(file), folder.resolve(file));
    }
    StoreConfig copy = StoreConfig.sqlite(folder);
    assertThat(Opened.check(copy).faults()).isEmpty();
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("safeconduct.db"));
        Statement statement = connection.createStatement()) {
      int changed =
          statement.executeUpdate(
              sql.replace("KEPT", Long.toString(kept)).replace("ERASED", Long.toString(erased)));
      assertThat(changed).isEqualTo(1);
    }
    assertThat(Opened.check(copy).faults()).isNotEmpty();
  }

  private static long place(TestService service, String id) {
    return Questions.number(service.owner().get("/api/audit/" + id).json(), "log_index");
  }

  @ParameterizedTest
  @EnumSource
  void retentionErasesWhatIsTooOldOfItsOrganizationAlone(EachStore kind) throws Exception {
    try (Opened opened = open(kind)) {
      TestService service = opened.service();
      String agent = Questions.hosted(service, 5);
      Questions.Tenant other = Questions.Tenant.made(service, "Other", "'read', 'read_audit'");
      String theirs =
          Questions.hosted(service, other.org(), Questions.passport(Questions.freshAgent(), 5));
      String old = asked(service, agent, "ls");
      String oldOfOthers =
          service
              .withKey(other.key())
              .post(COMMAND, Questions.command(theirs, "ls"))
              .string("decision_id");
      clock.advance(Duration.ofDays(30));
      String young = asked(service, agent, "ls");
      String path = "/api/orgs/" + service.org() + "/retention";
      assertThat(service.owner().get(path).json().has("days")).isTrue();
      clock.advance(Duration.ofSeconds(1));
      Reply set = service.admin().put(path, "{\"days\": 30}");
      assertThat(set.status()).as(set.toString()).isEqualTo(200);
      Reply record = service.owner().get("/api/audit/" + old);
      while (!record.json().isTrue("erased")) {
        record = service.owner().get("/api/audit/" + old);
      }
      assertThat(service.owner().get("/api/decisions/" + young).status()).isEqualTo(200);
      assertThat(service.withKey(other.key()).get("/api/decisions/" + oldOfOthers).status())
          .isEqualTo(200);
      Reply told = service.owner().get("/api/audit?kind=erasure");
      assertThat(told.text()).contains("\"cause\":\"retention\"");
      assertThat(opened.check().faults()).isEmpty();

      clock.advance(Duration.ofDays(31));
      assertThat(service.admin().put(path, "{\"days\": null}").status()).isEqualTo(200);
      assertThat(service.admin().put(path, "{\"days\": 1}").status()).isEqualTo(200);
      Reply later = service.owner().get("/api/audit/" + young);
      while (!later.json().isTrue("erased")) {
        later = service.owner().get("/api/audit/" + young);
      }
      assertThat(opened.check().faults()).isEmpty();
    }
  }

  @Test
  void onlyWhoAnswersForTheOrganizationMayErase() {
    try (Opened opened = open(EachStore.SQLITE)) {
      TestService service = opened.service();
      String agent = Questions.hosted(service, 5);
      String id = asked(service, agent, "ls");
      String path = "/api/audit/" + id + "?reason=mine";
      assertThat(service.owner().delete(path).status()).isEqualTo(403);
      assertThat(service.nobody().delete(path).status()).isEqualTo(401);
      Calls person = service.operator();
      String otherOrg = service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
      Calls admin = service.member(otherOrg, "admin@example.com", "admin");
      assertThat(admin.delete(path).status()).isEqualTo(404);
      assertThat(admin.put("/api/orgs/" + service.org() + "/retention", "{\"days\": 1}").status())
          .isEqualTo(404);
      Questions.number(admin.delete("/api/audit?agent_id=" + agent + "&reason=x").json(), "erased");
      assertThat(service.owner().get("/api/decisions/" + id).status()).isEqualTo(200);
      assertThat(person.delete(path).status()).isEqualTo(200);
      Map<String, String> wrong =
          Map.of(
              "?agent_id=x", "reason",
              "?reason=x", "agent_id",
              "?reason=x&kind=decision", "agent_id",
              "?reason=x&to=never", "to");
      wrong.forEach((query, field) -> {
        Reply refused = service.admin().delete("/api/audit" + query);
        assertThat(refused.status()).as(query).isEqualTo(400);
        assertThat(refused.json().string("field")).isEqualTo(Optional.of(field));
      });
      for (String body : List.of("{}", "{\"days\": 0}", "{\"days\": 36501}", "{\"day\": 1}")) {
        assertThat(service.admin().put("/api/orgs/" + service.org() + "/retention", body).status())
            .as(body)
            .isEqualTo(400);
      }
    }
  }
}
