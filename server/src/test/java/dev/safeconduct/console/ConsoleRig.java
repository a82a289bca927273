package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.Cookie;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;

/** What tests of the console need: people who sign in, agents that ask. */
final class ConsoleRig {
  static final String COMMANDS = "/api/verify/policy/system.command.execute.v1";

  private ConsoleRig() {}

  /** Signs in through the page, as a person would. */
  static Page signIn(TestService service, Chromium.Profile profile, String email) {
    Page page = profile.page();
    page.navigate(service.base() + "console");
    assertThat(page.url()).contains("/console/sign-in");
    page.getByLabel("Email address").first().fill(email);
    page.getByLabel("Password").first().fill(TestService.PASSWORD);
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign in")).click();
    assertThat(page.url()).endsWith("/console");
    page.waitForLoadState(); // scripts have run then
    return page;
  }

  /** What a browser keeps of a person who has signed in; for as many browsers as are wanted. */
  static List<Cookie> session(TestService service, String email) {
    Reply reply = service.login(email);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.headers().allValues("Set-Cookie").stream()
        .map(line -> line.substring(0, line.indexOf(';')))
        .map(pair ->
            new Cookie(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1))
                .setUrl(service.base().toString()))
        .toList();
  }

  /** The page of somebody who has signed in; nothing is opened yet. */
  static Page enter(Chromium.Profile profile, List<Cookie> session) {
    profile.context().addCookies(session);
    return profile.page();
  }

  /** The first owner, with a password. */
  static String owner(TestService service) {
    service.setPassword(service.ownerLink(), TestService.OPERATOR);
    return TestService.OPERATOR;
  }

  /** An agent with this passport, in JSON with single quotes. */
  static String passport(TestService service, String json) {
    return service.owner().post("/api/passports", Calls.json(json)).string("agent_id");
  }

  /** An agent whose messages a person must approve. */
  static String sender(TestService service, String name) {
    return passport(
        service,
        """
        {'name': '%s', 'capabilities': [{'id': 'messaging.send'}],
         'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 9,
           'approval_required': true}}}
        """
            .formatted(name));
  }

  /** An agent that may run git and make. */
  static String agent(TestService service, String name) {
    return service
        .owner()
        .post(
            "/api/passports",
            Calls.json(
                    """
                    {'capabilities': [{'id': 'system.command.execute'}],
                     'limits': {'system.command.execute': {'allowed_commands': ['git', 'make']}}}
                    """)
                .with("name", new dev.safeconduct.json.JsonString(name)))
        .string("agent_id");
  }

  /** Has the agent ask for a command. */
  static Reply asks(TestService service, String agent, String command) {
    return service
        .owner()
        .post(
            COMMANDS,
            Calls.json("{}")
                .with(
                    "context",
                    dev.safeconduct.json.JsonObject.builder()
                        .put("agent_id", agent)
                        .put("command", command)
                        .build()));
  }

  static boolean allows(TestService service, String agent) {
    return asks(service, agent, "git status").json().isTrue("allow");
  }
}
