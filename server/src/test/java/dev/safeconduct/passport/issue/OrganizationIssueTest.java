package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Organizations issue for their users; a passport's history. */
final class OrganizationIssueTest {
  @AutoClose private static final TestService service = TestService.start(Issuing.UNLIMITED);

  @Test
  void anOrganizationIssuesForItsUsers() {
    String path = "/api/orgs/" + service.org() + "/issue";
    Reply issued =
        service
            .owner()
            .post(
                path,
                Calls.json(
                    "{'name': 'For Ada', 'pending_owner': {'email': 'ada@example.com',"
                        + " 'display_name': 'Ada <b>'}, 'send_claim_email': true,"
                        + " 'assurance': {'type': 'kyc', 'assurance_level': 'L3'}}"));
    assertThat(issued.status()).as(issued.toString()).isEqualTo(201);
    assertThat(issued.json().isTrue("claimed")).isFalse();
    assertThat(issued.string("assurance_level")).isEqualTo("L0");
    assertThat(issued.json().object("metadata").orElseThrow().object("assurance")).isPresent();
    assertThat(issued.text()).doesNotContain("ada@example.com", "/claim/");
    assertThat(service.letters().await("ada@example.com", 1).getFirst())
        .contains("Hello Ada b,", "The organization \"My organization\"");
    // The user answers for the agent, and gets nothing of the organization that owns it.
    String link = Letters.path(service.letters().await("ada@example.com", 1).getFirst(), "/claim/");
    Reply claimed = Pages.submit(service.nobody(), link, service.nobody().get(link), Map.of());
    assertThat(claimed.text())
        .contains("Its organization alone can limit")
        .doesNotContain("Open the passport");
    Calls ada = service.nobody().with("Cookie", Pages.cookies(claimed));
    assertThat(ada.get("/api/auth/me").string("org_id")).isNotEqualTo(service.org());
    assertThat(ada.get("/api/passports/" + issued.string("agent_id")).status()).isEqualTo(404);
    Reply after = service.owner().get("/api/passports/" + issued.string("agent_id"));
    assertThat(after.json().isTrue("claimed")).isTrue();
    assertThat(after.string("assurance_level")).isEqualTo("L1");
    assertThat(after.string("owner_id")).isEqualTo(service.org());
    Reply own = service.owner().post(path, Calls.json("{'name': 'Our own'}"));
    assertThat(own.json().isTrue("claimed")).isTrue();
  }

  @Test
  void aHistoryTellsWhoDidWhatAndWhy() {
    String agent = Issuing.issue(service, "Historic", "human@example.com").string("agent_id");
    service.admin().patch("/api/passports/" + agent, "{\"role\": \"tool\"}");
    service
        .admin()
        .put(
            "/api/passports/" + agent + "/status",
            "{\"status\": \"suspended\", \"reason\": \"went astray\"}");
    Reply history = service.admin().get("/api/passports/" + agent + "/history");
    assertThat(history.text())
        .contains(
            "\"reason\":\"went astray\"", "\"previous_status\":\"active\"", "\"caller\":\"admin\"")
        .contains(
            "\"changed\":[\"role\"]", "\"kind\":\"passport_issued\"", "\"caller\":\"anonymous\"")
        .doesNotContain("human@example.com");
    assertThat(history.json().array("history").orElseThrow()).hasSize(3);
    assertThat(service.owner().get("/api/passports/" + agent + "/history").status()).isEqualTo(404);
  }
}
