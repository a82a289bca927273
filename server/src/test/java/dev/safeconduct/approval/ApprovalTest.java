package dev.safeconduct.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A person approves exactly one action, once; everything else stays denied. */
@ParameterizedClass
@EnumSource(EachStore.class)
final class ApprovalTest {
  private static final String VERIFY = "/api/verify/policy/messaging.message.send.v1";
  private static final String CONTEXT =
      "{\"agent_id\": \"AGENT\", \"channel_id\": \"team\", \"message\": \"Done.\","
          + " \"message_type\": \"text\"}";

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before all tests
  private static Path root;

  @Parameter
  @SuppressWarnings("NullAway.Init")
  EachStore store;

  private static final MovableClock clock = new MovableClock();

  @SuppressWarnings("NullAway.Init") // set before the tests of each store
  private static Path folder;

  private static Map<String, String> settings = Map.of();

  @SuppressWarnings("NullAway.Init")
  private static TestService service;

  @SuppressWarnings("NullAway.Init")
  private static Calls person;

  @SuppressWarnings("NullAway.Init")
  private static Calls key;

  @SuppressWarnings("NullAway.Init")
  private static String org;

  @SuppressWarnings("NullAway.Init")
  private static String text;

  @SuppressWarnings("NullAway.Init")
  private String agent;

  /** One service for all tests on a store, a new agent for each. */
  @BeforeParameterizedClassInvocation
  static void start(EachStore store) {
    folder = root.resolve(store.name());
    settings = store.settings();
    service = TestService.start(folder, settings, clock);
    person = service.operator();
    org = service.org();
    text = service.key();
    key = service.withKey(text);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    service.close();
  }

  @BeforeEach
  void makeAgent() {
    if (person.get("/api/auth/me").status() != 200) { // the clock of another test went on
      person = service.signedIn(TestService.OPERATOR);
    }
    agent = passport();
  }

  private String passport() {
    return key.post(
            "/api/passports",
            Calls.json(
                """
                {'name': 'Sender', 'capabilities': [{'id': 'messaging.send'}],
                 'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
                   'channels_allowlist': ['team'], 'approval_required': true}}}
                """))
        .string("agent_id");
  }

  private Reply ask(String context, String approval) {
    return key.post(VERIFY, body(context, approval));
  }

  private String body(String context, String approval) {
    return "{\"context\": "
        + context.replace("AGENT", agent)
        + (approval.isEmpty() ? "" : ", \"approval_id\": \"" + approval + "\"")
        + "}";
  }

  private String opened() {
    return opened(CONTEXT);
  }

  private String opened(String context) {
    Reply denied = ask(context, "");
    assertThat(reason(denied)).isEqualTo("oap.approval_required");
    JsonObject approval = denied.json().object("approval").orElseThrow();
    assertThat(approval.names())
        .containsExactly("approval_id", "expires_at", "status_endpoint", "approval_url");
    return approval.string("approval_id").orElseThrow();
  }

  private Reply approve(String id) {
    return person.post("/api/approvals/" + id + "/approve", "{\"comment\": \"go\"}");
  }

  private static String reason(Reply reply) {
    return ((JsonObject) reply.json().array("reasons").orElseThrow().get(0))
        .string("code")
        .orElseThrow();
  }

  private boolean allows(String context, String approval) {
    return ask(context, approval).json().isTrue("allow");
  }

  @Test
  void anApprovedActionIsAllowedOnceAndCountsAsAnyOther() {
    String id = opened();
    assertThat(allows(CONTEXT, id)).as("nobody has answered").isFalse();
    JsonObject shown = person.get("/api/approvals/" + id).json().object("approval").orElseThrow();
    assertThat(shown.object("context").orElseThrow().string("message")).contains("Done.");
    assertThat(approve(id).status()).isEqualTo(200);

    Reply allowed = ask(CONTEXT, id);

    assertThat(allowed.json().isTrue("allow")).as(allowed.toString()).isTrue();
    Reply again = ask(CONTEXT, id);
    assertThat(reason(again)).isEqualTo("oap.approval_required");
    assertThat(again.text()).contains("has been used").doesNotContain("\"approval\":{");
    JsonObject used = person.get("/api/approvals/" + id).json().object("approval").orElseThrow();
    assertThat(used.string("status")).contains("used");
    assertThat(used.string("used_by")).contains(allowed.string("decision_id"));
    assertThat(used.present("context")).as("forgotten once answered").isNull();
    assertThat(key.get("/api/audit?kind=approval_answered").text())
        .contains(id, "approved", "account:");
  }

  @Test
  void aDenyThatWaitsTellsOfItsApprovalHoweverItIsAsked() {
    String id = opened();
    Calls repeated = key.with("Idempotency-Key", "again-" + agent);
    String named = body(CONTEXT, id);
    for (Calls asking : List.of(key, repeated, repeated)) {
      Reply early = asking.post(VERIFY, named);
      assertThat(early.text()).contains("oap.approval_required", "Nobody has approved this yet.");
      assertThat(early.text()).contains("\"approval_id\":\"" + id, "/approvals/" + id);
    }
    assertThat(ask(CONTEXT.replace("Done.", "Done!"), id).text())
        .contains("for another action")
        .doesNotContain("\"approval\":{");
    approve(id);
    assertThat(repeated.post(VERIFY, named).json().has("approval")).as("no longer").isFalse();
  }

  @Test
  void anApprovalIsForTheValuesOfTheContextAndNotForTheirSpelling() {
    String context =
        context("'message': 'Déjà vu', 'n': 10, 'list': [1, 2], 'in': {'a': 1, 'b': 2}");
    String id = opened(context);
    assertThat(approve(id).status()).isEqualTo(200);
    for (String other :
        List.of(
            context.replace("vu", "Vu"),
            context.replace("é", "e\u0301"),
            context.replace("vu", "vu\\u200b"),
            context.replace("10", "10.000001"),
            context.replace("10", "-10"),
            context.replace("10", "1e400"),
            context.replace("10", "\"10\""),
            context.replace("10", "null"),
            context.replace("[1, 2]", "[2, 1]"),
            context.replace("[1, 2]", "[1, 2, 2]"),
            context.replace(", \"n\": 10", ""),
            context.replace("\"b\": 2", "\"b\": 2, \"c\": 3"),
            context.replace("\"a\": 1", "\"A\": 1"))) {
      assertThat(other).isNotEqualTo(context);
      assertThat(allows(other, id)).as(other).isFalse();
    }
    String twice = context.replace("\"n\": 10", "\"n\": 11, \"n\": 10");
    assertThat(ask(twice, id).status()).as("which of the two is meant?").isEqualTo(400);
    String spelled =
        context(
            "'in': {'b': 2e0, 'a': 1},  'list': [1.0, 2], 'n': 1e1, 'message': 'D\\u00e9jà vu'");
    assertThat(spelled).isNotEqualTo(context);
    assertThat(allows(spelled, id)).as("none of the others has used it up").isTrue();
    assertThat(allows(context, id)).as("once").isFalse();
  }

  /** Their canonical forms are those of other values, which one approval would be valid for too. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "9007199254740992",
        "12345678901234567891",
        "[1, -1e300]",
        "1.00000000000000001",
        "0.99999999999999999",
        "1e-400",
        "-1e-99999999999",
        "0.1000000000000000055511151231257827"
      })
  void aNumberThatIsRoundedIsNotApproved(String number) {
    Reply denied = ask(context("'message': 'Done.', 'in': {'id': " + number + "}"), "");
    assertThat(reason(denied)).isEqualTo("oap.approval_required");
    assertThat(denied.text()).contains("context.in.id").doesNotContain("\"approval\":{");
  }

  @Test
  void anApprovalForATextIsNotForTheNumber() {
    String context = context("'message': 'Done.', 'n': '1e400'");
    String id = opened(context);
    assertThat(approve(id).status()).isEqualTo(200);
    assertThat(allows(context.replace("\"1e400\"", "1e400"), id)).isFalse();
    assertThat(allows(context, id)).isTrue();
  }

  @Test
  void anApprovalForANumberIsNotForOneThatIsRoundedToIt() {
    String context = context("'message': 'Done.', 'n': 1");
    String other = context.replace("\"n\": 1", "\"n\": 1.00000000000000001");
    String id = opened(context);
    assertThat(approve(id).status()).isEqualTo(200);
    assertThat(allows(other, id)).isFalse();
    Calls once = key.with("Idempotency-Key", "rounded");
    assertThat(once.post(VERIFY, body(context, id)).json().isTrue("allow")).isTrue();
    assertThat(once.post(VERIFY, body(context, id)).json().isTrue("allow")).isTrue();
    assertThat(once.post(VERIFY, body(other, id)).status()).isEqualTo(409);
  }

  private static String context(String members) {
    return ("{'agent_id': 'AGENT', 'channel_id': 'team', 'message_type': 'text', " + members + "}")
        .replace('\'', '"');
  }

  @Test
  void aChangedPassportOrAnotherAgentIsDenied() {
    String id = opened();
    assertThat(approve(id).status()).isEqualTo(200);
    String first = agent;
    agent = passport();
    assertThat(allows(CONTEXT, id)).isFalse();
    agent = first;
    assertThat(key.patch("/api/passports/" + agent, "{\"role\": \"other\"}").status())
        .isEqualTo(200);
    assertThat(allows(CONTEXT, id)).isFalse();
  }

  @Test
  void unansweredAndRefusedAndLateAreDenied() {
    String late = opened();
    String same = opened();
    assertThat(same).as("the same question waits once").isEqualTo(late);
    clock.advance(Duration.ofMinutes(61));
    person = service.signedIn(TestService.OPERATOR);
    assertThat(approve(late).status()).isEqualTo(409);
    assertThat(allows(CONTEXT, late)).isFalse();
    String refused = opened();
    assertThat(person.post("/api/approvals/" + refused + "/refuse", "").status()).isEqualTo(200);
    assertThat(approve(refused).status()).isEqualTo(409);
    assertThat(allows(CONTEXT, refused)).isFalse();
    String unused = opened();
    assertThat(approve(unused).status()).isEqualTo(200);
    clock.advance(Duration.ofMinutes(61));
    assertThat(allows(CONTEXT, unused)).isFalse();
  }

  @Test
  void noKeyAndNoTokenAnswers() {
    String id = opened();
    String approve = "/api/approvals/" + id + "/approve";
    assertThat(key.post(approve, "{}").status()).isEqualTo(403);
    assertThat(key.get("/api/approvals").status()).isEqualTo(403);
    assertThat(service.admin().post(approve, "{}").status()).isEqualTo(403);
    assertThat(service.nobody().post(approve, "{}").status()).isEqualTo(401);
    Calls member = service.member(org, "member@example.com", "member");
    assertThat(member.post(approve, "{}").status()).isEqualTo(403);
    String other = service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
    Calls stranger = service.member(other, "stranger@example.com", "owner");
    assertThat(stranger.post(approve, "{}").status()).isEqualTo(404);
    assertThat(stranger.get("/api/approvals").text()).doesNotContain(id);
    assertThat(allows(CONTEXT, id)).isFalse();
  }

  /** Asks for approval of a recorded request, after the world has changed. */
  @Test
  void aPersonAsksOnlyForWhatTheAgentCanUse() {
    String other = service.admin().post("/api/orgs", "{\"name\": \"Asks\"}").string("org_id");
    String name = store.name().toLowerCase(Locale.ROOT) + "-asks@example.com";
    Calls stranger = service.member(other, name, "owner");
    for (JsonObject row : CaseFile.objects("approvals-asked.jsonl")) {
      agent = passport();
      Reply denied =
          row.isTrue("authzen") ? ofAuthzen() : ask(Json.text(with(row.object("context"))), "");
      assertThat(denied.text()).as(row.toString()).contains("oap.approval_required");
      row.object("limits").ifPresent(this::limit);
      if (row.isTrue("suspended")) {
        Questions.status(service, agent, "suspended");
      }

      Reply asked =
          (row.isTrue("stranger") ? stranger : person).post("/api/approvals", decisionOf(denied));

      assertThat(asked.status()).as(row + " " + asked).isEqualTo(Questions.number(row, "status"));
      assertThat(asked.json().object("details").flatMap(details -> details.string("reason")))
          .isEqualTo(row.string("reason"));
      assertThat(asked.text()).contains(row.string("text").orElseThrow());
    }
    Reply asked = person.post("/api/approvals", decisionOf(ask(CONTEXT, "")));
    String id = asked.json().object("approval").orElseThrow().string("approval_id").orElseThrow();
    assertThat(approve(id).status()).isEqualTo(200);
    assertThat(allows(CONTEXT.replace("Done.", "Done!"), id)).as("another context").isFalse();
    assertThat(allows(CONTEXT, id)).isTrue();
  }

  /** A passport that was sent along, and is hosted by another organization now. */
  @Test
  void aRequestOfOneOrganizationIsNotShownToAnother() {
    JsonObject passport =
        key.get("/api/passports/" + agent)
            .json()
            .without("owner_id")
            .without("passport_id")
            .with("agent_id", new JsonString(Questions.freshAgent()));
    agent = passport.string("agent_id").orElseThrow();
    Reply denied =
        key.post(
            VERIFY,
            JsonObject.builder()
                .put("context", Calls.json(CONTEXT.replace("AGENT", agent)))
                .put("passport", passport)
                .build());
    String other = service.admin().post("/api/orgs", "{\"name\": \"Later\"}").string("org_id");
    Questions.hosted(service, other, passport);

    Reply asked = service.admin().post("/api/approvals", decisionOf(denied));

    assertThat(asked.status()).as(asked.toString()).isEqualTo(404);
    assertThat(asked.text()).contains("decision_not_found");
  }

  private static JsonObject with(Optional<JsonObject> members) {
    JsonObject context = Calls.json(CONTEXT);
    for (String name : members.orElse(JsonObject.EMPTY).names()) {
      JsonValue value = members.orElseThrow().present(name);
      context = value == null ? context.without(name) : context.with(name, value);
    }
    return context;
  }

  private void limit(JsonObject changed) {
    JsonObject all = key.get("/api/passports/" + agent).json().object("limits").orElseThrow();
    JsonObject limits = all.object("messaging.send").orElseThrow();
    for (String name : changed.names()) {
      limits = limits.with(name, Objects.requireNonNull(changed.get(name)));
    }
    JsonObject body =
        JsonObject.builder().put("limits", all.with("messaging.send", limits)).build();
    assertThat(key.patch("/api/passports/" + agent, Json.text(body)).status()).isEqualTo(200);
  }

  private Reply ofAuthzen() {
    return key.post(
        "/access/v1/evaluation",
        Calls.json(
            """
            {'subject': {'type': 'agent', 'id': '%s'}, 'context': {'message': 'Done.'},
             'action': {'name': 'messaging.send', 'properties': {'message_type': 'text'}},
             'resource': {'type': 'channel', 'id': '1', 'properties': {'channel_id': 'team'}}}
            """
                .formatted(agent)));
  }

  private static JsonObject decisionOf(Reply denied) {
    String id =
        denied
            .header("Safeconduct-Decision-Id")
            .or(() -> denied.json().string("decision_id"))
            .orElseThrow();
    return JsonObject.builder().put("decision_id", id).build();
  }

  @Test
  void anAnswerSurvivesARestart() {
    String id = opened();
    service.close();
    service = TestService.start(folder, settings, clock);
    key = service.withKey(text);
    person = service.signedIn(TestService.OPERATOR);
    assertThat(approve(id).status()).isEqualTo(200);
    service.close();
    service = TestService.start(folder, settings, clock);
    key = service.withKey(text);
    person = service.signedIn(TestService.OPERATOR);
    assertThat(allows(CONTEXT, id)).isTrue();
  }

  @Test
  void ofManyAtOnceOneIsAllowed() throws Exception {
    String id = opened();
    assertThat(approve(id).status()).isEqualTo(200);
    var asks = new ArrayList<Callable<Boolean>>();
    for (int i = 0; i < 16; i++) {
      asks.add(() -> allows(CONTEXT, id));
    }
    int allowed = 0;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Boolean> ask : threads.invokeAll(asks)) {
        allowed += ask.get() ? 1 : 0;
      }
    }
    assertThat(allowed).isEqualTo(1);
  }

  @Test
  void theOwnersAreToldByALetterThatNeedsASignIn() {
    String invited = store.name().toLowerCase(Locale.ROOT) + "-invited@example.com";
    String admin = "{\"email\": \"" + invited + "\", \"role\": \"admin\"}";
    assertThat(service.admin().post("/api/orgs/" + org + "/members", admin).status())
        .isEqualTo(201);
    String id = opened();
    String page = "/console/approvals/" + id;
    // The mailbox is the way in: whoever has no password yet gets one by email, or needs none.
    assertThat(service.letters().await(invited, 2).getLast()).contains(page);
    int letters = 0;
    boolean told = false;
    while (!told) { // those of other tests' approvals come as well
      letters++;
      told =
          service.letters().await(TestService.OPERATOR, letters).stream()
              .anyMatch(letter -> letter.contains(page));
    }
    assertThat(service.nobody().get("/console/approvals/" + id).status()).isEqualTo(303);
  }
}
