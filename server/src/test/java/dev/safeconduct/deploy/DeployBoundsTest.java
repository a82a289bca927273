package dev.safeconduct.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is too much for one plan, or for one reading of an organization. */
@ParameterizedClass
@EnumSource(EachStore.class)
final class DeployBoundsTest {
  private static final int MOST = 10_000;

  /** Rows that nobody can read: an answer in spite of them shows that they were not read. */
  private static final String UNREADABLE = "unreadable";

  /** A kind of rows, and an insert of one; ? is its number. */
  record Rows(String kind, String insert) {}

  static final List<Rows> ROWS =
      List.of(
          new Rows(
              "passports",
              """
              INSERT INTO passport (agent_id, org, name, status, revision, created_at, frameworks,
                                    capabilities, search, document, listed)
              VALUES ('ap_x' || ?, 'ORG', 'x', 'active', 1, 1, '', '', '', 'TEXT', 0)
              """),
          new Rows(
              "webhooks",
              """
              INSERT INTO webhook (id, org, url, events, active, secrets, revision, created_at,
                                   updated_at)
              VALUES ('wh_x' || ?, 'ORG', 'TEXT', '', 1, BYTES, 1, 1, 1)
              """),
          new Rows(
              "labels",
              """
              INSERT INTO managed_object (org, kind, object, name, owner, applied, applied_at)
              VALUES ('ORG', 'Passport', 'ap_x' || ?, 'x', 'ours', 'TEXT', 1)
              """));

  @TempDir private static Path root;

  @Parameter
  @SuppressWarnings("NullAway.Init") // set before the tests of each store
  EachStore store;

  private static Map<String, String> settings = Map.of();

  @SuppressWarnings("NullAway.Init")
  private static TestService service;

  @BeforeParameterizedClassInvocation
  static void start(EachStore store) {
    Path folder = root.resolve(store.name());
    settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.toString());
    service = TestService.start(folder, settings);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @FieldSource("ROWS")
  void whatIsTooMuchToDescribeIsCountedAndNotRead(Rows rows) throws SQLException {
    String org = Questions.Tenant.made(service, "Many " + rows.kind(), "'read'").org();
    String path = "/api/resources?organization=" + org;
    assertThat(service.admin().get(path).status()).isEqualTo(200);
    String insert =
        rows.insert()
            .replace("ORG", org)
            .replace("TEXT", UNREADABLE)
            .replace("BYTES", store == EachStore.SQLITE ? "x'00'" : "'\\x00'");
    try (Connection connection = store.connection(settings)) {
      connection.setAutoCommit(false);
      try (PreparedStatement statement = connection.prepareStatement(insert)) {
        for (int i = 0; i <= MOST; i++) {
          statement.setInt(1, i);
          statement.addBatch();
        }
        int[] _ = statement.executeBatch();
      }
      connection.commit();
    }
    Reply refused = service.admin().get(path);
    assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
    assertThat(refused.text()).contains("more than 10,000 objects");
  }

  /** Instances are read a page at a time, and none is described. */
  @ParameterizedTest
  @ValueSource(ints = {199, 200, 401})
  void aTemplateWithManyInstancesIsOneObject(int instances) throws SQLException {
    String org = Questions.Tenant.made(service, "Instances " + instances, "'read'").org();
    String path = "/api/passports?org_id=" + org;
    String template =
        service
            .admin()
            .post(path, Calls.json("{'name': 'T', 'slug': 'sales', 'capabilities': ['web.fetch']}"))
            .string("agent_id");
    try (Connection connection = store.connection(settings);
        PreparedStatement copy =
            connection.prepareStatement(
                """
                INSERT INTO passport (agent_id, org, name, status, revision, created_at,
                                      frameworks, capabilities, search, document, listed)
                SELECT ?, org, name, status, revision, created_at, frameworks, capabilities, search,
                       replace(replace(document, '"agent_id":"' || agent_id, '"agent_id":"' || ?),
                               '"slug":"sales"', '"parent_agent_id":"' || agent_id || '"'), listed
                  FROM passport WHERE agent_id = ?
                """)) {
      for (int i = 0; i < instances; i++) {
        String id = "ap_%08d%024d".formatted(instances, i);
        copy.setString(1, id);
        copy.setString(2, id);
        copy.setString(3, template);
        copy.executeUpdate();
      }
    }
    Reply later =
        service
            .admin()
            .post(path, Calls.json("{'name': 'L', 'slug': 'later', 'capabilities': []}"));
    assertThat(later.status()).as(later.toString()).isEqualTo(201);
    Reply described = service.admin().get("/api/resources?organization=" + org);
    assertThat(
            described.json().array("resources").orElseThrow().elements().stream()
                .map(each -> ((JsonObject) each).only(List.of("kind", "slug")))
                .toList())
        .containsExactly(
            Calls.json("{'kind': 'Template', 'slug': 'sales'}"),
            Calls.json("{'kind': 'Passport', 'slug': 'later'}"));
    Reply suggested = service.admin().post("/api/passports/" + template + "/suggest", "{}");
    assertThat(suggested.status()).as(suggested.toString()).isEqualTo(200);
  }

  /** Levels of a chain in the order of their resources, and the one that is refused. */
  record Chain(List<Integer> levels, int refused) {}

  static final List<Chain> CHAINS =
      List.of(
          new Chain(List.of(9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 0),
          new Chain(List.of(10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 0),
          new Chain(List.of(0, 1, 10, 9, 8, 7, 6, 5, 4, 3, 2), 3),
          new Chain(List.of(5, 11, 0, 1, 2, 3, 4, 10, 9, 8, 7, 6), 8));

  /** The one to mend is the one that has too many above it, and not the topmost one. */
  @ParameterizedTest
  @FieldSource("CHAINS")
  void aFaultNamesTheResourceThatIsTooDeep(Chain chain) {
    JsonObject files =
        JsonObject.builder()
            .put("organization", service.org())
            .put(
                "resources",
                new JsonArray(
                    chain.levels().stream().<JsonValue>map(DeployBoundsTest::level).toList()))
            .build();
    Reply refused = service.admin().post("/api/plan", files);
    assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
    assertThat(refused.text())
        .contains(
            "resources[" + chain.refused() + "].template",
            "A passport has at most 8 templates above it.");
  }

  private static JsonObject level(int level) {
    String above = level == 0 ? "" : ", 'template': 'level-" + (level - 1) + "'";
    return Calls.json(
        "{'kind': 'Passport', 'slug': 'level-%d', 'name': 'Level'%s}".formatted(level, above));
  }
}
