package dev.safeconduct.audit.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Somebody who can write to the database, and has neither the master key nor a checkpoint, can make
 * no signing key theirs: {@code audit verify} finds it, and the service does not start.
 */
@Tag("attack")
@Tag("slow")
final class ForgedKeysTest {
  private static final String FORGED = "decision-00000000deadbeef";
  private static final List<String> TABLES = List.of("signing_key", "audit");

  @SuppressWarnings("NullAway.Init") // set before all tests
  @TempDir
  static Path folder;

  private static final Map<EachStore, Map<String, String>> FILLED = new EnumMap<>(EachStore.class);

  /** A service with records, a retired and a revoked decision key on each store. */
  @BeforeAll
  static void fill() throws Exception {
    for (EachStore store : EachStore.values()) {
      var settings = new HashMap<>(store.settings());
      settings.put("DATA_DIR", folder.resolve(store.name()).toString());
      FILLED.put(store, settings);
      try (TestService service = start(settings)) {
        String agent = Questions.hosted(service, 5);
        JsonObject purpose = JsonObject.builder().put("purpose", "decision").build();
        for (int i = 0; i < 3; i++) {
          String kid = service.owner().post(COMMAND, Questions.command(agent, "ls")).string("kid");
          if (i == 0) {
            keepKeys(store, settings, "earlier_signing_key");
            service
                .admin()
                .post("/api/admin/signing-keys/" + kid + "/revoke", "{\"reason\": \"It leaked.\"}");
          }
          service.admin().post("/api/admin/signing-keys/rotate", purpose);
        }
        Files.writeString(keySet(store), service.nobody().get("/jwks.json").text());
      }
      CommandRun sound = verify(store, "--keys", keySet(store).toString());
      assertThat(sound.status()).as(sound.out()).isZero();
      assertThat(sound.out()).startsWith("sound: ");
      try (Connection connection = store.connection(settings);
          Statement statement = connection.createStatement()) {
        for (String table : TABLES) {
          statement.execute("CREATE TABLE kept_" + table + " AS SELECT * FROM " + table);
        }
      }
    }
  }

  /** A copy of the keys as they are now, sealed by the service itself. */
  private static void keepKeys(EachStore store, Map<String, String> settings, String as)
      throws Exception {
    try (Connection connection = store.connection(settings);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + as + " AS SELECT * FROM signing_key");
    }
  }

  @AfterEach
  void restore() throws Exception {
    for (EachStore store : EachStore.values()) {
      try (Connection connection = store.connection(settings(store));
          Statement statement = connection.createStatement()) {
        for (String table : TABLES) {
          statement.execute("DELETE FROM " + table);
          statement.execute("INSERT INTO " + table + " SELECT * FROM kept_" + table);
        }
      }
    }
  }

  private static Map<String, String> settings(EachStore store) {
    return Objects.requireNonNull(FILLED.get(store));
  }

  private static Path keySet(EachStore store) {
    return folder.resolve(store.name() + ".jwks.json");
  }

  private static TestService start(Map<String, String> settings) {
    return TestService.start(Path.of(settings.getOrDefault("DATA_DIR", "")), settings);
  }

  private static CommandRun verify(EachStore store, String... more) {
    return CommandRun.auditVerify(settings(store), more);
  }

  private static void refusesToStart(EachStore store) {
    assertThatThrownBy(() -> start(settings(store)).close())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("signing_key")
        .hasMessageContaining("Somebody has altered the database");
  }

  static Stream<Arguments> cases() {
    return CaseFile.objects("forged-keys.json").stream()
        .flatMap(each ->
            Stream.of(EachStore.values())
                .map(store -> Arguments.of(each.string("name").orElseThrow(), store, each)));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("cases")
  void anAlteredRowIsFoundAndStopsTheStart(String name, EachStore store, JsonObject attack)
      throws Exception {
    try (Connection connection = store.connection(settings(store));
        Statement statement = connection.createStatement()) {
      for (String sql : attack.array("sql").orElseThrow().strings().toList()) {
        String dialect =
            store == EachStore.POSTGRES
                ? sql.replaceAll("x'([0-9a-f]+)'", "'\\\\x$1'::bytea")
                : sql;
        assertThat(statement.executeUpdate(dialect)).as(name).isPositive();
      }
    }
    CommandRun found = verify(store);
    assertThat(found.status()).as(found.out()).isEqualTo(1);
    assertThat(found.out()).contains(attack.string("says").orElseThrow());
    refusesToStart(store);
  }

  /**
   * A key of the attacker's, retired before it was ever used, and an allow signed with it: the
   * tree, the record's commitment and the signature are all right.
   */
  @ParameterizedTest
  @EnumSource
  void aDecisionByAnInsertedKeyIsFound(EachStore store) throws Exception {
    for (boolean recorded : new boolean[] {false, true}) {
      try (Connection connection = store.connection(settings(store))) {
        forge(connection, recorded);
      }
      CommandRun found = verify(store, "--keys", keySet(store).toString());
      assertThat(found.status()).as(found.out()).isEqualTo(1);
      assertThat(found.out())
          .contains("the seal of the signing key oap:registry:" + FORGED + " does not open");
      assertThat(found.out().contains("but no record of the log brings it in"))
          .isEqualTo(!recorded);
      assertThat(found.out().contains("is not signed by a decision key that the log brought in"))
          .isEqualTo(!recorded);
      assertThat(found.out().contains("the key set does not have oap:registry:" + FORGED))
          .as("who has the published keys needs no master key")
          .isEqualTo(recorded);
      refusesToStart(store);
      restore();
    }
  }

  /** A running service reads its keys again when one changes; from then on it signs nothing. */
  @Test
  void aRunningServiceSignsNothingWithAlteredKeys() throws Exception {
    var settings = new HashMap<>(EachStore.POSTGRES.settings());
    settings.put("DATA_DIR", folder.resolve("running").toString());
    try (TestService service = start(settings);
        Connection connection = EachStore.POSTGRES.connection(settings);
        Statement statement = connection.createStatement()) {
      assertThat(service.nobody().get("/jwks.json").status()).isEqualTo(200);
      statement.executeUpdate("UPDATE signing_key SET retired_at = 1 WHERE purpose = 'passport'");
      service.admin().post("/api/admin/signing-keys/rotate", "{\"purpose\":\"metadata\"}");
      signsNothing(service);
    }
  }

  @Test
  void aRowOfAnUnknownPurposeIsAFaultOfTheService() throws Exception {
    var settings = new HashMap<>(EachStore.POSTGRES.settings());
    settings.put("DATA_DIR", folder.resolve("unknown").toString());
    try (TestService service = start(settings);
        Connection connection = EachStore.POSTGRES.connection(settings);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "INSERT INTO signing_key SELECT 'x', 'other', public_key, sealed_seed, created_at, 1, 1"
              + " FROM signing_key LIMIT 1");
      service.admin().post("/api/admin/signing-keys/rotate", "{\"purpose\":\"metadata\"}");
      signsNothing(service);
    }
  }

  private static void signsNothing(TestService service) {
    for (String path : List.of("/jwks.json", "/readyz", "/api/audit/log/verifier-key")) {
      assertThat(service.nobody().get(path).status()).as(path).isEqualTo(503);
    }
  }

  /** A start reads all of them, and must not take longer because the log is long. */
  @ParameterizedTest
  @EnumSource
  void theRecordsOfKeysAreFoundByAnIndex(EachStore store) throws Exception {
    String records = " FROM audit WHERE kind = 'config' AND body LIKE '%signing_key_%'";
    boolean postgres = store == EachStore.POSTGRES;
    try (Connection connection = store.connection(settings(store));
        Statement statement = connection.createStatement()) {
      if (postgres) {
        statement.execute("SET enable_seqscan = off");
      }
      var plan = new StringBuilder();
      try (ResultSet row =
          statement.executeQuery(
              (postgres ? "EXPLAIN " : "EXPLAIN QUERY PLAN ")
                  + "SELECT *"
                  + records
                  + " ORDER BY log_index")) {
        while (row.next()) {
          plan.append(row.getString(postgres ? 1 : 4));
        }
      }
      assertThat(plan).contains("audit_signing_key").doesNotContain("Sort", "B-TREE");
      try (ResultSet row = statement.executeQuery("SELECT count(*)" + records)) {
        row.next();
        assertThat(row.getInt(1)).isGreaterThanOrEqualTo(Purpose.values().length);
      }
    }
  }

  private static void forge(Connection connection, boolean recorded) throws Exception {
    var pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] encoded = pair.getPublic().getEncoded();
    byte[] publicKey = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    byte[] seed = new byte[76];
    new Random(18).nextBytes(seed);
    String id = FORGED;
    long at;
    JsonObject body;
    try (Statement statement = connection.createStatement();
        ResultSet last =
            statement.executeQuery(
                "SELECT body, at_ms, org FROM audit WHERE kind = 'decision'"
                    + " ORDER BY log_index DESC LIMIT 1")) {
      last.next();
      body = Json.parseObject(last.getBytes(1));
      at = last.getLong(2) + 1;
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO signing_key (id, purpose, public_key, sealed_seed, created_at, retired_at)"
                + " VALUES (?, 'decision', ?, ?, ?, ?)")) {
      insert.setString(1, id);
      insert.setBytes(2, publicKey);
      insert.setBytes(3, seed);
      insert.setLong(4, at);
      insert.setLong(5, at);
      insert.executeUpdate();
    }
    String kid = "oap:registry:" + id;
    if (recorded) {
      JsonObject told =
          JsonObject.builder()
              .put("change", "signing_key_created")
              .put("purpose", "decision")
              .put("kid", kid)
              .put("x", Base64.getUrlEncoder().withoutPadding().encodeToString(publicKey))
              .put("created_at", IsoInstant.millis(Instant.ofEpochMilli(at)))
              .build();
      append(connection, "config", told, new byte[0], at);
    }
    JsonObject forged = body.with("kid", new JsonString(kid)).with("allow", JsonBoolean.of(true));
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(pair.getPrivate());
    signature.update(CanonicalJson.bytes(forged));
    append(connection, "decision", forged, signature.sign(), at);
  }

  /** Appends a record with its commitment, by the recipe of docs/audit-log.md. */
  private static void append(
      Connection connection, String kind, JsonObject body, byte[] signature, long at)
      throws Exception {
    String id = UUID.randomUUID().toString();
    String org;
    long index;
    try (Statement statement = connection.createStatement();
        ResultSet last =
            statement.executeQuery(
                "SELECT org, log_index FROM audit ORDER BY log_index DESC LIMIT 1")) {
      last.next();
      org = last.getString(1);
      index = last.getLong(2) + 1;
    }
    JsonObject details = JsonObject.EMPTY;
    JsonObject.Builder record =
        JsonObject.builder()
            .put("record_id", id)
            .put("kind", kind)
            .put("org_id", org)
            .put("at", IsoInstant.millis(Instant.ofEpochMilli(at)))
            .put("body", body)
            .put("details", details);
    if (signature.length > 0) {
      record.put("signature", "ed25519:" + Base64.getEncoder().encodeToString(signature));
    }
    byte[] salt = new byte[16];
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    byte[] digest = sha.digest(CanonicalJson.bytes(record.build()));
    sha.update(salt);
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO audit (log_index, record_id, kind, org, at_ms, body, signature, details,"
                + " salt, commitment) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      insert.setLong(1, index);
      UUID uuid = UUID.fromString(id);
      insert.setBytes(
          2,
          ByteBuffer.allocate(16)
              .putLong(uuid.getMostSignificantBits())
              .putLong(uuid.getLeastSignificantBits())
              .array());
      insert.setString(3, kind);
      insert.setString(4, org);
      insert.setLong(5, at);
      insert.setBytes(6, CanonicalJson.bytes(body));
      insert.setBytes(7, signature);
      insert.setBytes(8, CanonicalJson.bytes(details));
      insert.setBytes(9, salt);
      insert.setBytes(10, sha.digest(digest));
      insert.executeUpdate();
    }
  }
}
