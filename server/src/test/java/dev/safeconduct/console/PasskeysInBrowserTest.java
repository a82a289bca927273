package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.safeconduct.testkit.Axe;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Passkeys in Chromium, with its virtual authenticator. */
@Tag("slow")
final class PasskeysInBrowserTest {
  static String freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return Integer.toString(socket.getLocalPort());
    }
  }

  /** A platform authenticator that verifies its user and keeps discoverable credentials. */
  static void authenticator(Page page) {
    CDPSession devtools = page.context().newCDPSession(page);
    devtools.send("WebAuthn.enable");
    var options = new JsonObject();
    options.addProperty("protocol", "ctap2");
    options.addProperty("transport", "internal");
    options.addProperty("hasResidentKey", true);
    options.addProperty("hasUserVerification", true);
    options.addProperty("isUserVerified", true);
    var message = new JsonObject();
    message.add("options", options);
    devtools.send("WebAuthn.addVirtualAuthenticator", message);
  }

  private static void press(Page page, String button) {
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(button).setExact(true))
        .focus();
    page.keyboard().press("Enter");
  }

  private static void password(Page page, String base) {
    page.navigate(base + "/console/sign-in?next=%2Fconsole%2Faccount");
    page.getByLabel("Email address").first().fill(TestService.OPERATOR);
    page.getByLabel("Password").first().fill(TestService.PASSWORD);
    press(page, "Sign in");
    page.waitForURL(base + "/console/sign-in/second-step*");
  }

  /** Looks at the page in both sizes. */
  private static void look(Page page, String name, List<String> wrong) {
    wrong.addAll(Axe.findings(page).stream().map(each -> name + ": " + each).toList());
    page.setViewportSize(390, 844);
    if (!Boolean.TRUE.equals(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))) {
      wrong.add(name + " is wider than a phone");
    }
    page.setViewportSize(1280, 900);
  }

  /** By keyboard alone, as the person who must have a second factor and has none. */
  @Test
  void aPersonRegistersSignsInAndRecovers() throws IOException {
    String port = freePort();
    String base = "http://localhost:" + port;
    var wrong = new ArrayList<String>();
    try (TestService service =
            TestService.start(Map.of("PORT", port, "BASE_URL", base, "MFA_REQUIRED", "true"));
        Chromium.Profile profile = Chromium.profile()) {
      service.setPassword(service.ownerLink(), TestService.OPERATOR);
      Axe.addTo(profile);
      Page page = profile.page();
      authenticator(page);

      password(page, base);
      look(page, "register", wrong);
      page.navigate(base + "/console/keys");
      assertThat(page.url()).as("nothing else before").contains("/console/sign-in?next=");
      page.navigate(base + "/console/sign-in/second-step?next=%2Fconsole%2Faccount");
      page.getByLabel("Name of the passkey").fill("Virtual key");
      press(page, "Add a passkey");
      page.waitForSelector("#codes");
      look(page, "codes", wrong);
      String code = page.locator("#codes").textContent().lines().findFirst().orElseThrow();
      assertThat(page.locator("a[download]").getAttribute("href")).contains(code);
      page.getByText("I have kept them").focus();
      page.keyboard().press("Enter");
      page.waitForURL(base + "/console/account");
      assertThat(page.content()).contains("Virtual key", "You have 10 left", "Chrome on Linux");
      look(page, "account", wrong);

      press(page, "Add a passkey");
      page.waitForCondition(
          () -> page.locator("#passkey [role=alert]").textContent().contains("already"));
      page.locator("summary", new Page.LocatorOptions().setHasText("Manage Virtual key")).focus();
      page.keyboard().press("Enter");
      page.getByLabel("New name of Virtual key").fill("Desk");
      press(page, "Rename");
      page.waitForURL(base + "/console/account?done=passkey_renamed");
      assertThat(page.content()).contains("Desk").doesNotContain("Virtual key");

      press(page, "Sign out");
      page.waitForURL(base + "/console/sign-in");
      look(page, "sign in", wrong);
      press(page, "Sign in with a passkey");
      page.waitForURL(base + "/console");

      press(page, "Sign out");
      page.waitForURL(base + "/console/sign-in");
      password(page, base);
      look(page, "second step", wrong);
      press(page, "Use your passkey");
      page.waitForURL(base + "/console/account");

      press(page, "Sign out");
      page.waitForURL(base + "/console/sign-in");
      password(page, base);
      page.locator("summary").first().focus();
      page.keyboard().press("Enter");
      page.getByLabel("Recovery code").fill(code);
      page.keyboard().press("Enter");
      page.waitForURL(base + "/console/account?done=code_used");
      assertThat(page.content()).contains("You have 9 left");
      wrong.addAll(profile.complaints());
    }
    assertThat(wrong).isEmpty();
  }
}
