package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.mail.WrittenEmail;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page says is true, and leads on. */
final class ConsoleWordingTest {
  @AutoClose private static final TestService service = TestService.start(Issuing.UNLIMITED);

  private static final Calls operator = service.operator();

  /** Only the admin token, and a session, may call what these pages show. */
  @ParameterizedTest
  @ValueSource(strings = {"/console/people", "/console/organizations"})
  void theCommandOfAPageForPeopleHasTheAdminToken(String path) {
    Reply page = operator.get(path);
    assertThat(page.status()).as(page.toString()).isEqualTo(200);
    assertThat(page.text()).contains("Bearer $ADMIN_TOKEN").doesNotContain("X-API-Key");
  }

  /** The path of the page, a call that adds a row, and the name of the row. */
  static Stream<Arguments> longLists() {
    String org = "/api/orgs/" + service.org();
    return Stream.of(
        Arguments.of("people", 200, org + "/members", "{'email': '%s', 'role': 'auditor'}"),
        Arguments.of("organizations", 200, "/api/orgs", "{'name': '%s'}"),
        Arguments.of("keys", 100, org + "/keys", "{'name': '%s', 'scopes': ['read']}"),
        Arguments.of("tokens", 100, "/api/admin/tokens", "{'name': '%s', 'role': 'read_only'}"));
  }

  @ParameterizedTest
  @MethodSource("longLists")
  void aLongListLeadsOnAndCountsItsPage(String list, int rows, String api, String body) {
    String page = "/console/" + list;
    Pattern counted = Pattern.compile("class=\"lead\">\\d+ [a-z ]+ on this page");
    assertThat(operator.get(page).text()).doesNotContainPattern(counted).doesNotContain("?cursor=");
    var missing = new HashSet<String>();
    for (int i = 0; i <= rows; i++) {
      String name = list + i + "@example.com";
      Reply made = service.admin().post(api, Calls.json(body.formatted(name)));
      assertThat(made.status()).as(made.toString()).isEqualTo(201);
      missing.add(name);
    }
    String first = operator.get(page).text();
    assertThat(first).contains("class=\"lead\">" + rows + " ").containsPattern(counted);
    Matcher more = Pattern.compile("rel=\"next\" href=\"([^\"]+)\"").matcher(first);
    assertThat(more.find()).isTrue();
    String second = operator.get(more.group(1)).text();
    assertThat(second).containsPattern(counted).doesNotContain("?cursor=");
    missing.removeIf(name -> first.contains(name) || second.contains(name));
    assertThat(missing).isEmpty();
  }

  /** The offered ones are the first of many. */
  @Test
  void aDeployTokenIsForAnyOrganization() {
    assertThat(operator.get("/console/tokens").text())
        .containsPattern("<input type=\"text\" id=\"org_id\" name=\"org_id\" list=\"orgs\"")
        .contains("<option value=\"" + service.org() + "\">");
  }

  @Test
  void otherCommandsHaveAKey() {
    assertThat(operator.get("/console/passports").text())
        .contains("X-API-Key: $SAFECONDUCT_KEY")
        .doesNotContain("$ADMIN_TOKEN");
  }

  @Test
  void theOutboxSaysThatNothingIsSentAndShowsWhatWasWritten() {
    Issuing.issue(service, "Written about", "written@example.com");
    service.letters().await("written@example.com", 1);
    Reply page = operator.get("/console/outbox");
    assertThat(page.text())
        .contains(
            "No mail server is set (SMTP_URL), so emails are not sent.",
            "No emails waiting.",
            "written@example.com",
            "Written about",
            "/claim/");
  }

  @Test
  void theOutboxOfAServiceWithAMailServerListsWhatWaits() {
    var settings = new HashMap<>(Issuing.UNLIMITED);
    settings.putAll(Map.of("SMTP_URL", "smtp://127.0.0.1:1", "MAIL_FROM", "agents@example.com"));
    try (TestService mailing = TestService.start(settings)) {
      Reply page = mailing.operator().get("/console/outbox");
      assertThat(page.text()).contains("No emails waiting.").doesNotContain("No mail server");
    }
  }

  @Test
  void aClaimLeadsToThePassport() {
    Reply issued = Issuing.issue(service, "Claimed", "claimer@example.com");
    String link = service.letters().link("claimer@example.com", "/claim/");
    Reply claimed =
        Pages.submit(
            service.nobody(),
            link,
            service.nobody().get(link),
            Map.of("password", TestService.PASSWORD));
    assertThat(claimed.text())
        .contains("/console/passports/" + issued.string("agent_id"), "/console/sign-in\"");
  }

  @Test
  void requestsWithoutAStreamLeaveNoLiveViewOpen() {
    for (int i = 0; i <= 1_000; i++) {
      assertThat(operator.send("HEAD", "/console/live", "").status()).as("%s", i).isEqualTo(200);
    }
  }

  @Test
  void theFirstPageLeadsToTheConsole() {
    assertThat(service.nobody().get("/").text()).contains("href=\"/console\"");
  }

  @Test
  void theOutboxFolderNeedNotExist() {
    assertThat(WrittenEmail.newest(Path.of("target", "no-such-folder"), 3)).isEmpty();
  }

  @Test
  void anExpiredPassportIsShownAsExpired() {
    String id = ConsoleRig.passport(service, "{'name': 'Ended', 'capabilities': []}");
    assertThat(operator.get("/console/passports/" + id).text()).doesNotContain("✕ expired");
    Reply ended =
        service
            .owner()
            .send(
                "PATCH", "/api/passports/" + id, "{\"expires_at\": \"2020-01-01T00:00:00.000Z\"}");
    assertThat(ended.status()).as(ended.toString()).isEqualTo(200);
    assertThat(operator.get("/console/passports/" + id).text())
        .contains("✕ expired", "denied until you change its expiry");
    assertThat(operator.get("/console/passports?q=Ended").text()).contains("✕ expired");
  }

  @Test
  void theOperatorSeesTheReceiverOfTheSettings() {
    String url = "http://127.0.0.1:9/of-the-operator";
    try (TestService receiving = TestService.start(Map.of("WEBHOOK_URL", url))) {
      Calls root = receiving.operator();
      assertThat(root.get("/console/webhooks").text())
          .contains(url, "all agents of all organizations");
      Reply page = root.get("/console/webhooks/global");
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.text())
          .contains(url, "WEBHOOK_URL")
          .doesNotContain("Rotate secret", "Remove endpoint", "Turn off", "Send test");
    }
  }

  @Test
  void aPassportThatWasChangedMeanwhileIsNotOverwritten() {
    String id = ConsoleRig.passport(service, "{'name': 'Edited', 'capabilities': []}");
    String version = version(id);
    Reply patched =
        service
            .owner()
            .send("PATCH", "/api/passports/" + id, "{\"description\": \"Other words.\"}");
    assertThat(patched.status()).isEqualTo(200);
    assertThat(save(id, Map.of("name", "Mine", "version", version)).text())
        .contains("This passport was changed after you opened it.");
    Reply previewed = save(id, Map.of("name", "Mine", "version", version, "do", "preview"));
    assertThat(version(previewed)).as("a preview is no review").isEqualTo(version);
    assertThat(save(id, Map.of("name", "Mine", "version", version(id))).status()).isEqualTo(303);
  }

  private static String version(String id) {
    return version(operator.get("/console/passports/" + id + "/edit"));
  }

  private static String version(Reply reply) {
    String page = reply.text();
    int start = page.indexOf("name=\"version\" value=\"") + 22;
    return page.substring(start, page.indexOf('"', start));
  }

  private static Reply save(String id, Map<String, String> fields) {
    return Pages.post(
        operator.with("Sec-Fetch-Site", "same-origin"),
        "/console/passports/" + id + "/edit",
        Pages.form(operator.get("/api/auth/me").string("csrf_token"), fields));
  }

  @Test
  void aPreviewHasTheBudgetOfOneRequest() {
    String id =
        ConsoleRig.passport(
            service,
            """
            {'name': 'Reader', 'capabilities': [{'id': 'data.file.read'}],
             'limits': {'data.file.read': {'allowed_paths': ['*']}}}
            """);
    for (int i = 0; i < 100; i++) {
      Reply allowed =
          service
              .owner()
              .post(
                  "/api/verify/policy/data.file.read.v1",
                  Calls.json(
                      "{'context': {'agent_id': '%s', 'file_path': '%s'}}"
                          .formatted(id, "/a".repeat(400))));
      assertThat(allowed.json().isTrue("allow")).as(allowed.toString()).isTrue();
    }
    String patterns =
        IntStream.range(0, 12)
            .mapToObj(i -> "**" + "/a**".repeat(59) + "/a/**/b" + i)
            .collect(Collectors.joining("\n"));
    Reply preview =
        save(
            id,
            Map.of(
                "name", "Reader",
                "do", "preview",
                "capability", "data.file.read",
                "limit:data.file.read:allowed_paths", "*",
                "limit:data.file.read:blocked_patterns", patterns));
    assertThat(preview.text())
        .containsPattern("None of the [0-9]+ decisions of the last 24 hours would change")
        .containsPattern("[0-9]+ more were not replayed");
  }
}
