package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The editor of a passport saves what its form shows, and links to it grant nothing. */
final class PassportEditorTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final Calls operator = service.operator();
  private static final Pattern REPOS =
      Pattern.compile("<textarea id=\"([^\"]*:allowed_repos)\" name=\"\\1\"");
  private static final Pattern LIMIT = Pattern.compile("href=\"([^\"]+)\">Open the limit");
  private static final Pattern VERSION = Pattern.compile("name=\"version\" value=\"([^\"]*)\"");

  private static String merger(String name, String capabilities) {
    String id =
        ConsoleRig.passport(
            service,
            """
            {'name': '%s', 'capabilities': %s,
             'limits': {'code.repository.merge':
               {'allowed_repos': ['garden/*'], 'max_pr_size_kb': 2, 'max_prs_per_day': 3}}}
            """
                .formatted(name, capabilities));
    assure(id);
    return id;
  }

  private static void assure(String id) {
    Reply assured =
        operator.post(
            "/api/admin/assurance",
            Calls.json(
                "{'agent_id': '%s', 'assurance_level': 'L2', 'method': 'kyb'}".formatted(id)));
    assertThat(assured.status()).as(assured.toString()).isEqualTo(200);
  }

  private static Reply save(String id, Reply page, Map<String, String> fields, String more) {
    String form =
        Pages.form(operator.get("/api/auth/me").string("csrf_token"), fields)
            + "&version="
            + found(VERSION, page).getFirst()
            + more;
    return Pages.post(
        operator.with("Sec-Fetch-Site", "same-origin"), "/console/passports/" + id + "/edit", form);
  }

  private static List<String> found(Pattern pattern, Reply page) {
    var found = new ArrayList<String>();
    Matcher matcher = pattern.matcher(page.text());
    while (matcher.find()) {
      found.add(matcher.group(1).replace("&amp;", "&"));
    }
    return found;
  }

  private static JsonObject passport(String id) {
    return service.owner().get("/api/passports/" + id).json();
  }

  @Test
  void capabilitiesWithTheSameLimitsHaveOneFieldForEach() {
    String id = merger("Both", "[{'id': 'repo.pr.create'}, {'id': 'repo.merge'}]");
    Reply page = operator.get("/console/passports/" + id + "/edit");
    List<String> fields = found(REPOS, page);
    assertThat(fields).as("the fields for one limit").hasSize(1);
    assertThat(page.text()).contains("Its limits are those of “");
    Reply saved =
        save(
            id,
            page,
            Map.of("name", "Both", fields.getFirst(), "garden/beds"),
            "&shown=repo.pr.create&capability=repo.pr.create"
                + "&shown=repo.merge&capability=repo.merge");
    assertThat(saved.status()).as(saved.toString()).isEqualTo(303);
    JsonObject limits = passport(id).object("limits").orElseThrow();
    assertThat(limits.object("code.repository.merge").orElseThrow())
        .isEqualTo(Calls.json("{'allowed_repos': ['garden/beds']}"));
  }

  @Test
  void aCapabilityHeldByItsOldNameIsTickedAndStays() {
    String id = merger("Old", "[{'id': 'code.repository.merge', 'params': {}}]");
    Reply page = operator.get("/console/passports/" + id + "/edit");
    assertThat(page.text()).containsPattern("value=\"repo.merge\" checked");
    String field = found(REPOS, page).getFirst();
    Reply saved =
        save(
            id,
            page,
            Map.of("name", "Old", field, "garden/beds"),
            "&shown=repo.merge&capability=repo.merge");
    assertThat(saved.status()).as(saved.toString()).isEqualTo(303);
    assertThat(passport(id).get("capabilities"))
        .isEqualTo(Calls.json("{'c': [{'id': 'code.repository.merge', 'params': {}}]}").get("c"));
    save(
        id,
        operator.get("/console/passports/" + id + "/edit"),
        Map.of("name", "Old"),
        "&shown=repo.merge");
    assertThat(passport(id).array("capabilities").orElseThrow().isEmpty()).isTrue();
  }

  @Test
  void anAddressShowsACapabilityButOnlyAddTicksItAndSaysSo() {
    String id = ConsoleRig.agent(service, "Asked for");
    String edit = "/console/passports/" + id + "/edit";
    assertThat(operator.get(edit + "?capability=payments.payout").text())
        .contains("value=\"payments.payout\"")
        .doesNotContainPattern("value=\"payments.payout\" checked")
        .doesNotContain("Saving adds");
    assertThat(operator.get(edit + "?add=payments.payout").text())
        .containsPattern("value=\"payments.payout\" checked")
        .contains("Saving adds the capability “");
    assertThat(operator.get(edit + "?add=system.command.execute").text())
        .doesNotContain("Saving adds");
    assertThat(operator.get(edit + "?add=%3Cb%3Enone").text())
        .doesNotContain("Saving adds", "<b>none");
  }

  @Test
  void aDenialLeadsToTheLimitsOfCapabilitiesThatThePassportHolds() {
    String id = merger("One", "[{'id': 'code.repository.merge'}]");
    Reply denied =
        service
            .owner()
            .post(
                "/api/verify/policy/code.repository.merge.v1",
                Calls.json(
                    """
                    {'context': {'agent_id': '%s', 'repository': 'other/one', 'action': 'pr.merge',
                                 'branch': 'fix', 'base_branch': 'trunk'}}
                    """
                        .formatted(id)));
    assertThat(denied.json().isTrue("allow")).as(denied.toString()).isFalse();
    Reply page = operator.get("/console/decisions/" + denied.string("decision_id"));
    List<String> links = found(LIMIT, page);
    assertThat(links).as(denied.toString()).isNotEmpty();
    assertThat(links).allSatisfy(link -> assertThat(link).contains("&capability=repo.merge&"));
    Reply opened = operator.get(links.getFirst().replaceFirst("#.*", ""));
    assertThat(opened.text())
        .contains("id=\"" + links.getFirst().replaceFirst(".*#", "") + "\"")
        .doesNotContain("repo.pr.create\" checked");
  }
}
