package dev.safeconduct.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connecting an agent: from the choice to its first call, as a person does it. */
@Tag("slow")
final class ConnectTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final List<Cookie> session =
      ConsoleRig.session(service, ConsoleRig.owner(service));

  @TempDir private Path home;

  @Test
  void aNewAgentIsConnectedAndItsFirstCallSeen() throws IOException, InterruptedException {
    String other = ConsoleRig.agent(service, "Other agent");
    try (Chromium.Profile profile = Chromium.profile()) {
      Page page = open(profile, "");
      page.getByLabel("Cursor").check();
      page.getByLabel("Name of a new passport").fill("Cursor at home");
      page.getByLabel("MCP servers").fill("github\n\nmcp:files\nhttp://127.0.0.1:3000/mcp");
      submit(page);
      assertThat(page.locator("h1")).hasText("Connect Cursor");
      assertThat(page.locator("#live-state")).hasText("live");
      String key = stored(page, "cursor.key");
      Calls agent = service.withKey(key);
      String id = passport(page);
      assertThat(agent.get("/api/passports/" + id).string("name")).isEqualTo("Cursor at home");

      ConsoleRig.asks(service, other, "git status");
      assertThat(calls(agent, "github").json().isTrue("allow")).isTrue();
      assertThat(page.locator("#arrived")).isVisible();
      assertThat(page.locator("#live li")).hasCount(1);
      assertThat(page.locator("#live li")).containsText("Cursor at home");
      assertThat(calls(agent, "mcp:files").json().isTrue("allow")).isTrue();
      assertThat(calls(agent, "http://127.0.0.1:3000/mcp").json().isTrue("allow")).isTrue();
      assertThat(calls(agent, "mail").json().isTrue("allow")).isFalse();
      assertThat(profile.complaints()).isEmpty();
    }
  }

  @Test
  void withoutScriptsTheFirstCallIsSeenByLookingAgain() {
    String agent = ConsoleRig.agent(service, "Old agent");
    ConsoleRig.asks(service, agent, "git log");
    try (Chromium.Profile profile = Chromium.profile(390, 844, ColorScheme.DARK, false)) {
      Page page = open(profile, "?connector=goose&agent_id=" + agent);
      assertThat(page.getByLabel("Goose")).isChecked();
      submit(page);
      assertThat(passport(page)).isEqualTo(agent);
      assertThat(page.locator("#live li")).hasCount(0);
      String key = page.locator("#secret").textContent();
      page.getByText("Look again").click();
      assertThat(page.locator("#arrived")).isHidden();
      assertThat(service.withKey(key).post(ConsoleRig.COMMANDS, command("git fetch")).status())
          .isEqualTo(200);
      page.getByText("Look again").click();
      assertThat(page.locator("#arrived")).isVisible();
      assertThat(page.locator("#live li")).hasCount(1);
      assertThat(page.locator("#live li")).containsText("git fetch");
      assertThat(page.content()).doesNotContain(key);
    }
  }

  @Test
  void aFormThatIsNotValidIsShownAgainAndIssuesNothing() {
    String agent = ConsoleRig.agent(service, "Git agent");
    try (Chromium.Profile profile = Chromium.profile()) {
      Page page = open(profile, "");
      page.getByLabel("Name of a new passport").fill("Never issued");
      page.getByLabel("MCP servers").fill("good\nnot/good");
      submit(page);
      assertThat(page.getByRole(AriaRole.ALERT)).containsText("“not/good” is not a valid name");
      Locator servers = page.getByLabel("MCP servers");
      assertThat(servers).hasAttribute("aria-invalid", "true");
      assertThat(servers).hasAccessibleDescription(Pattern.compile("not/good"));
      assertThat(servers).hasValue("good\nnot/good");
      assertThat(page.getByLabel("Name of a new passport")).hasValue("Never issued");
      page.getByLabel("Passport what").selectOption(agent);
      servers.fill("good");
      submit(page);
      assertThat(page.getByRole(AriaRole.ALERT)).containsText("may not call MCP servers");
      assertThat(page.getByLabel("Passport what")).hasValue(agent);
    }
    assertThat(service.owner().get("/api/passports?q=Never").text()).doesNotContain("Never issued");
    assertThat(service.owner().get("/api/passports/" + agent).text()).doesNotContain("good");
  }

  @Test
  void anExistingPassportAdmitsTheServersToo() {
    JsonObject preset =
        service
            .nobody()
            .get("/api/public/framework-passport-presets/kiro")
            .json()
            .object("data")
            .orElseThrow();
    String agent = service.owner().post("/api/passports", preset).string("agent_id");
    try (Chromium.Profile profile = Chromium.profile()) {
      Page page = open(profile, "?connector=kiro&agent_id=" + agent);
      page.getByLabel("MCP servers").fill("github");
      submit(page);
      JsonObject limits =
          service.owner().get("/api/passports/" + agent).json().object("limits").orElseThrow();
      JsonObject mcp = limits.object("mcp.tool.execute").orElseThrow();
      assertThat(mcp.array("allowed_servers").orElseThrow().texts())
          .containsExactly("*", "mcp:github");
      assertThat(limits.without("mcp.tool.execute"))
          .isEqualTo(preset.object("limits").orElseThrow().without("mcp.tool.execute"));
    }
  }

  /** The second line, as its command spells the agent. */
  @ParameterizedTest
  @CsvSource({
    "Claude Code, hook install claude-code --user --agent-id",
    "Codex, hook install codex --user --agent-id",
    "Gemini CLI, hook install gemini-cli --user --agent-id",
    "GitHub Copilot, hook install copilot --user --agent-id",
    "VS Code, hook install vscode --user --agent-id",
    "Windsurf, hook install windsurf --user --agent-id",
    "Goose, hook install goose --user --agent-id",
    "Kiro, hook install kiro --user --agent-id",
    "Amazon Q, hook install amazon-q --user --agent-id",
    "MCP gateway, mcp-gateway --agent-id"
  })
  void everyAgentHasItsLine(String name, String line) {
    try (Chromium.Profile profile = Chromium.profile()) {
      Page page = open(profile, "");
      page.getByLabel(name).check();
      submit(page);
      Locator start = page.locator("section", new Page.LocatorOptions().setHasText("2. "));
      assertThat(start.locator("code").last()).containsText(line);
      assertThat(start.locator("code").last()).containsText(passport(page));
      assertThat(start.locator("code").last()).containsText("'http://127.0.0.1:");
    }
  }

  private static Page open(Chromium.Profile profile, String query) {
    Page page = ConsoleRig.enter(profile, session);
    page.navigate(service.base() + "console/connect" + query);
    return page;
  }

  private static void submit(Page page) {
    page.getByText("Get the lines to paste").click();
  }

  private static String passport(Page page) {
    return page.locator(".lead a").getAttribute("href").replaceAll(".*/", "");
  }

  /** Runs the first line as a person does, with the key as the terminal's input. */
  private String stored(Page page, String file) throws IOException, InterruptedException {
    String key = page.locator("#secret").textContent();
    String line = page.locator("section pre").first().textContent();
    assertThat(line).doesNotContain(key).doesNotContain("\n");
    Path target = home.resolve(".config/safeconduct").resolve(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, "an older key, open to all");
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-r--r--"));
    var builder = new ProcessBuilder("bash", "-c", line).redirectErrorStream(true);
    builder.environment().put("HOME", home.toString());
    builder.environment().remove("XDG_CONFIG_HOME");
    Process shell = builder.start();
    try (var in = shell.outputWriter()) {
      in.write(key + "\n");
    }
    assertThat(shell.inputReader().readLine()).contains("Paste the key");
    assertThat(shell.waitFor()).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
        .isEqualTo("rw-------");
    return Files.readString(target).strip();
  }

  private static Reply calls(Calls agent, String server) {
    return agent.post(
        "/api/verify/policy/mcp.tool.execute.v1",
        Calls.json(
            "{'context': {'server': '" + server + "', 'tool': 'search', 'parameters': {}}}"));
  }

  private static String command(String line) {
    return "{\"context\": {\"command\": \"" + line + "\"}}";
  }
}
