package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Batches;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The filters of the list of decisions, and where a denied decision leads. */
final class DecisionsListTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final Calls operator = service.operator();
  private static final Pattern NEXT =
      Pattern.compile("href=\"(/console/decisions\\?[^\"]*cursor=[^\"]*)\"");

  private static String list(String query) {
    return operator.get("/console/decisions?" + query).text();
  }

  private static String issue(String name, String more) {
    Reply issued =
        service
            .owner()
            .post(
                "/api/passports",
                Calls.json(
                    "{'name': '%s', 'capabilities': [{'id': 'messaging.send'}]%s}"
                        .formatted(name, more)));
    assertThat(issued.status()).as(issued.toString()).isEqualTo(201);
    return issued.string("agent_id");
  }

  @Test
  void anExactNameIsFoundAmongManyThatContainIt() {
    String exact = issue("Rare", ", 'slug': 'seldom'");
    for (int i = 0; i < 13; i++) {
      issue("Rare " + i, ", 'slug': 'seldom-" + i + "'");
    }
    for (String text : List.of("Rare", "rare", "seldom", exact)) {
      assertThat(list("agent=" + text))
          .as(text)
          .contains("name=\"agent_id\" value=\"" + exact + "\"");
    }
    assertThat(list("agent=rar")).contains("Several agents match. Choose one.");
    assertThat(list("agent=no%25such"))
        .contains("No agent has this name.")
        .doesNotContain("No matching decisions.");
  }

  @Test
  void anAgentOfAnotherOrganizationIsNotNamed() {
    String mine = issue("Everywhere", "");
    assertThat(list("agent=Everywhere")).contains("value=\"" + mine + "\"");
    String org = operator.post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
    Calls other = service.member(org, "other@example.com", "owner");
    assertThat(other.get("/console/decisions?agent=Everywhere").text()).doesNotContain(mine);
  }

  @Test
  void aSearchSaysHowFarItWent() {
    String agent = ConsoleRig.agent(service, "Searched");
    ConsoleRig.asks(service, agent, "git log --find-me-once");
    for (int i = 0; i < 21; i++) {
      Reply asked =
          service
              .owner()
              .post(
                  Batches.BATCH,
                  Batches.of(Collections.nCopies(50, Batches.command(agent, "make"))));
      assertThat(asked.status()).as(asked.toString()).isEqualTo(200);
    }
    ConsoleRig.asks(service, agent, "git log --find-me-once");
    String only = "agent_id=" + agent;
    String first = list(only + "&q=find-me-once");
    assertThat(first)
        .contains(
            "1 match in the newest "
                + Formats.count(1_000)
                + " decisions that fit the other filters, no denials. Older ones are on the next");
    Matcher next = NEXT.matcher(first);
    assertThat(next.find()).isTrue();
    assertThat(operator.get(next.group(1).replace("&amp;", "&")).text())
        .contains("1 match, no denials.");
    assertThat(list(only + "&q=nowhere"))
        .contains("No matches in the newest " + Formats.count(1_000));
    Matcher after = NEXT.matcher(list(only));
    assertThat(after.find()).isTrue();
    assertThat(operator.get(after.group(1).replace("&amp;", "&")).text())
        .contains("The next 50, no denials.");
  }

  @Test
  void aDenialLeadsToItsRequestForApprovalHoweverManyWait() {
    String oldest = "";
    for (int i = 0; i < 6; i++) {
      String agent =
          issue(
              "Sender " + i,
              ", 'limits': {'messaging.send': {'msgs_per_min': 99, 'msgs_per_day': 99,"
                  + " 'approval_required': true}}");
      for (int each = 0; each < 10; each++) {
        Reply denied =
            service
                .owner()
                .post(
                    "/api/verify/policy/messaging.message.send.v1",
                    Calls.json(
                        """
                        {'context': {'agent_id': '%s', 'channel_id': 'team', 'message': 'Go %s',
                                     'message_type': 'text'}}
                        """
                            .formatted(agent, each)));
        assertThat(denied.text()).contains("apr_");
        oldest = oldest.isEmpty() ? denied.string("decision_id") : oldest;
      }
    }
    assertThat(operator.get("/console/decisions/" + oldest).text())
        .contains("Answer the request for approval");
    asksAgainForWhatWasRefused(oldest);
    String agent =
        service.admin().get("/api/audit/" + oldest).json().string("agent_id").orElseThrow();
    Reply other =
        service
            .owner()
            .post(
                "/access/v1/evaluation",
                Calls.json(
                    """
                    {'subject': {'type': 'agent', 'id': '%s'}, 'context': {'message': 'Go'},
                     'action': {'name': 'messaging.send', 'properties': {'message_type': 'text'}},
                     'resource': {'type': 'channel', 'id': '1',
                                  'properties': {'channel_id': 'team'}}}
                    """
                        .formatted(agent)));
    String path = "/console/decisions/" + other.header("Safeconduct-Decision-Id").orElseThrow();
    assertThat(operator.get(path).text())
        .contains("An AuthZEN request cannot use an approval.")
        .doesNotContain(path + "/ask");
  }

  /** A person asks for approval of exactly the recorded request, and the agent can use it. */
  private static void asksAgainForWhatWasRefused(String denied) {
    String id = "apr_" + denied.replace("-", "");
    assertThat(operator.post("/api/approvals/" + id + "/refuse", "{}").status()).isEqualTo(200);
    String path = "/console/decisions/" + denied;
    Reply page = operator.get(path);
    assertThat(page.text()).contains("(refused)", "Ask for approval", path + "/ask");
    Calls form = operator.with("Sec-Fetch-Site", "same-origin");
    Reply asked = Pages.post(form, path + "/ask", Pages.form(Pages.csrfToken(page), Map.of()));
    assertThat(asked.status()).as(asked.toString()).isEqualTo(303);
    String opened = asked.header("Location").orElseThrow().replaceAll(".*/(apr_[0-9a-f]+).*", "$1");
    assertThat(opened).isNotEqualTo(id);
    assertThat(operator.post("/api/approvals/" + opened + "/approve", "{}").status())
        .isEqualTo(200);
    JsonObject record = service.admin().get("/api/audit/" + denied).json();
    JsonObject context = record.object("details").orElseThrow().object("context").orElseThrow();
    Reply used =
        service
            .owner()
            .post(
                "/api/verify/policy/messaging.message.send.v1",
                JsonObject.builder()
                    .put("agent_id", record.string("agent_id").orElseThrow())
                    .put("approval_id", opened)
                    .put("context", context)
                    .build());
    assertThat(used.json().isTrue("allow")).as(used.toString()).isTrue();
    assertThat(
            Pages.post(form, path + "/ask", Pages.form(Pages.csrfToken(page), Map.of())).status())
        .isEqualTo(303);
  }
}
