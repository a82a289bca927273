package dev.safeconduct.passport;

import static dev.safeconduct.passport.Problems.conflict;
import static dev.safeconduct.passport.Problems.fails;
import static dev.safeconduct.passport.Problems.invalid;
import static dev.safeconduct.passport.Problems.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Rooms;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class IssuePassportTest {
  @AutoClose private final Rooms rooms = new Rooms();
  private final Origin issuer = Rooms.by(rooms.ours, Scope.ISSUE);

  @Test
  void aNameIsEnough() {
    JsonObject document = issue("{'name':'Refund bot'}").document();

    String hex = document.string("passport_id").orElseThrow().replace("-", "");
    assertThat(document.string("agent_id")).contains("ap_" + hex);
    assertThat(document.string("slug")).contains("refund-bot");
    assertThat(document.string("status")).contains("active");
    assertThat(document.string("assurance_level")).contains("L0");
    assertThat(document.string("owner_id")).contains(rooms.ours.value());
    assertThat(document.string("created_at")).contains("2026-11-21T09:00:00.000Z");
    assertThat(document.isTrue("claimed")).isTrue();
    assertThat(document.array("regions").orElseThrow().strings()).containsExactly("global");
  }

  @Test
  void theUuidFormNamesTheSameAgent() {
    Passport passport = issue("{'name':'Bot'}");
    String uuid = passport.document().string("passport_id").orElseThrow();
    assertThat(AgentId.hosted(uuid)).contains(passport.agentId());
  }

  @Test
  void anOrdinaryCallerHasNoSayInLevelOrId() {
    IssuePassport.Issued issued =
        rooms.issuePassport.run(
            issuer,
            rooms.ours,
            json("{'name':'Bot','assurance_level':'L4FIN'}"),
            IssuePassport.Claim.CLAIMED);

    assertThat(issued.passport().document().string("assurance_level")).contains("L0");
    assertThat(issued.warnings()).singleElement().asString().contains("assurance_level");
    fails(Problem.Forbidden.class, () -> issue("{'name':'Bot','agent_id':'ap_mine'}"));
    invalid("owner_id", () -> issue("{'name':'Bot','owner_id':'org_other'}"));
    invalid("kind", () -> issue("{'name':'Bot','kind':'instance'}"));
    invalid("status", () -> issue("{'name':'Bot','status':'suspended'}"));
    invalid("name", () -> issue("{}"));
  }

  @Test
  void theOperatorBringsPassportsOver() {
    Passport passport =
        operator("{'name':'Bot','agent_id':'ap_curl_example','assurance_level':'L4'}");

    assertThat(passport.agentId()).isEqualTo(new AgentId("ap_curl_example"));
    assertThat(passport.document().string("assurance_level")).contains("L4KYC");
    conflict("agent_id_taken", () -> operator("{'name':'Bot','agent_id':'ap_curl_example'}"));

    String own = "ap_0123456789abcdef0123456789abcdef";
    assertThat(operator("{'name':'X','agent_id':'" + own + "'}").document().string("passport_id"))
        .contains("01234567-89ab-cdef-0123-456789abcdef");
    invalid("agent_id", () -> operator("{'name':'Bot','agent_id':'a b'}"));
  }

  @Test
  void aSlugThatWasAskedForMustBeFreeAndOneThatWasNotGivesWay() {
    assertThat(issue("{'name':'Bot'}").slug()).contains("bot");
    conflict("slug_taken", () -> issue("{'name':'Another','slug':'bot'}"));
    assertThat(issue("{'name':'Böt!'}").slug().orElseThrow()).matches("bot-[0-9a-f]{8}");
    assertThat(issue("{'name':'Бот'}").slug().orElseThrow()).matches("agent-[0-9a-f]{8}");
  }

  @Test
  void theRecordNamesWhatWasGrantedButNotPersonalData() {
    issue(
        "{'name':'Bot','contact':'ada@example.com','metadata':{'note':'private'},"
            + "'limits':{'data.file.read':{'allowed_paths':['/srv']}}}");

    assertThat(rooms.lastBody())
        .contains("\"kind\":\"passport_issued\"", "/srv", "\"contact\"", "sha256:")
        .doesNotContain("ada@example.com", "private");
  }

  private Passport issue(String body) {
    return rooms
        .issuePassport
        .run(issuer, rooms.ours, json(body), IssuePassport.Claim.CLAIMED)
        .passport();
  }

  private Passport operator(String body) {
    return rooms
        .issuePassport
        .run(Rooms.admin(), rooms.ours, json(body), IssuePassport.Claim.CLAIMED)
        .passport();
  }
}
