package dev.safeconduct.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.TestService;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The editor of policies, with and without scripts. */
@Tag("slow")
final class PolicyEditorTest {
  @AutoClose private final TestService service = TestService.start();
  @AutoClose private final Chromium.Profile profile = Chromium.profile();
  private final Page page =
      ConsoleRig.enter(profile, ConsoleRig.session(service, ConsoleRig.owner(service)));

  private void go(String path) {
    page.navigate(service.base() + path);
  }

  private Locator button(String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  @Test
  void aPolicyIsWrittenWithItsFaultsMarkedAndPutInForce() {
    go("console/policies/edit?from=system.command.execute.v1");
    String pack = (String) page.evaluate("document.querySelector('#text').value");
    assertThat(page.locator(".CodeMirror-linenumber").first()).hasText("1");
    assertThat(page.locator(".CodeMirror-code .cm-property").first()).isVisible();
    write(
        pack.replace("oap.blocked_pattern", "oap.no_such_code")
            .replace("\"min_assurance\": \"L0\"", "\"min_assurance\": \"L9\""));
    button("Check and run cases").click();
    assertThat(page.locator("#faults h2")).hasText("2 errors");
    assertThat(page.locator("#faults")).containsText("oap.no_such_code");
    assertThat(page.locator("#faults a")).hasCount(2);
    Locator place = page.locator("#faults a").first();
    String line = place.textContent().replace("Line ", "");
    place.press("Enter");
    assertThat(page.locator(".fault-mark").first()).isVisible();
    assertThat(page.locator(".CodeMirror").first()).hasClass(Pattern.compile("CodeMirror-focused"));
    assertThat(page.evaluate("document.querySelector('.CodeMirror').CodeMirror.getCursor().line"))
        .isEqualTo(Integer.parseInt(line) - 1);
    write("{\"req");
    page.keyboard().press("Control+End");
    page.keyboard().type("u");
    page.locator(".CodeMirror-hint", containing("requires_capabilities")).waitFor();
    page.keyboard().press("Enter");
    page.keyboard().type("[\"system.command");
    page.locator(".CodeMirror-hint-active", containing("system.command.execute")).waitFor();
    page.keyboard().press("Enter");
    assertThat(page.evaluate("document.querySelector('.CodeMirror').CodeMirror.getValue()"))
        .isEqualTo("{\"requires_capabilities\": [\"system.command.execute\"");
    write(pack);
    page.keyboard().press("Control+Enter");
    assertThat(page.locator("#faults")).containsText("No errors");
    assertThat(page.locator("#faults")).containsText("1 case passed");
    button("Save as a new version").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Version saved");
    button("Activate").click();
    assertThat(page.getByRole(AriaRole.STATUS)).containsText("Version activated");
    assertThat(page.locator("main")).containsText("custom.system.command.execute.v1");
    page.getByText("Edit", new Page.GetByTextOptions().setExact(true)).click();
    assertThat(page.locator(".CodeMirror-code").first())
        .containsText("custom.system.command.execute.v1");
    go("console/decisions");
    assertThat(page.locator("option[value='custom.system.command.execute.v1']")).hasCount(1);
    String agent = ConsoleRig.agent(service, "Runs by an own policy");
    go("console/playground?agent_id=" + agent + "&policy_id=custom.system.command.execute.v1");
    assertThat(page.getByLabel("Command").first()).isVisible();
  }

  private void write(String text) {
    page.evaluate(
        "text => { const e = document.querySelector('.CodeMirror').CodeMirror;"
            + " e.setValue(text); e.focus(); }",
        text);
  }

  private static Page.LocatorOptions containing(String text) {
    return new Page.LocatorOptions().setHasText(text);
  }

  @Test
  void withoutScriptsTheTextIsCheckedToo() {
    try (Chromium.Profile plain =
        Chromium.profile(390, 844, com.microsoft.playwright.options.ColorScheme.DARK, false)) {
      Page without = ConsoleRig.enter(plain, ConsoleRig.session(service, TestService.OPERATOR));
      without.navigate(service.base() + "console/policies/edit?from=web.fetch.v1");
      Locator text = without.locator("#text");
      text.fill(text.inputValue().replace("oap.domain_blocked", "oap.no_such_code"));
      without.getByText("Check and run cases").click();
      assertThat(without.locator("#faults")).containsText(Pattern.compile("Line \\d+: rule"));
      text.fill("{");
      without.getByText("Check and run cases").click();
      assertThat(without.locator("#faults")).containsText("Line 1");
    }
  }
}
