package dev.safeconduct.access.people;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.SoftKey;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What a browser does with a passkey: registers it, signs in with it, takes the second step. */
final class PasskeyVisit {
  static final String SIGN_IN = "/console/sign-in";
  static final String SECOND = SIGN_IN + "/second-step";
  static final String ACCOUNT = "/console/account";

  private static final Pattern CODE = Pattern.compile("[a-z2-9]{4}(-[a-z2-9]{4}){3}");

  private PasskeyVisit() {}

  static List<String> register(Calls person, SoftKey key) {
    Reply made = add(person, key);
    assertThat(made.status()).as(made.toString()).isEqualTo(200);
    return codes(made);
  }

  static Reply add(Calls person, SoftKey key) {
    Reply page = person.get(ACCOUNT);
    return Pages.post(
        person,
        ACCOUNT + "/passkeys",
        Pages.form(
            Pages.csrfToken(page),
            Map.of("name", "Laptop <b>", "credential", key.create(SoftKey.options(page)))));
  }

  static List<String> codes(Reply page) {
    return CODE.matcher(page.text().substring(page.text().indexOf("id=\"codes\"")))
        .results()
        .map(found -> found.group())
        .distinct()
        .toList();
  }

  /** Signs in by the passkey alone. */
  static Reply alone(TestService on, SoftKey key) {
    Reply page = on.nobody().get(SIGN_IN);
    return Pages.submit(
        on.nobody(),
        SIGN_IN + "/passkey",
        page,
        Map.of("credential", key.get(SoftKey.options(page)), "next", "/console/keys"));
  }

  /** Proves the password; returns the calls of a browser that stands before the second step. */
  static Calls password(TestService on, String email) {
    return half(on, passwordCookies(on, email));
  }

  static Calls half(TestService on, String cookies) {
    return on.nobody().with("Cookie", cookies).with("Sec-Fetch-Site", "same-origin");
  }

  static String passwordCookies(TestService on, String email) {
    Reply page = on.nobody().get(SIGN_IN);
    Reply sent =
        Pages.submit(
            on.nobody(), SIGN_IN, page, Map.of("email", email, "password", TestService.PASSWORD));
    assertThat(sent.header("Location").orElse("")).as(sent.toString()).startsWith(SECOND);
    String pending = Pages.cookies(sent);
    assertThat(pending).doesNotContain("safeconduct_session", "safeconduct_refresh");
    return pending + "; " + Pages.cookies(page);
  }

  static Reply second(Calls pending, String step, Map<String, String> fields) {
    return Pages.post(
        pending, SECOND + "/" + step, Pages.form(Pages.csrfToken(pending.get(SECOND)), fields));
  }

  static Reply secondKey(Calls pending, SoftKey key) {
    Reply page = pending.get(SECOND);
    return Pages.post(
        pending,
        SECOND + "/passkey",
        Pages.form(Pages.csrfToken(page), Map.of("credential", key.get(SoftKey.options(page)))));
  }

  static Calls browser(TestService on, Reply signedIn) {
    assertThat(signedIn.header("Set-Cookie")).as(signedIn.toString()).isPresent();
    Calls browser =
        on.nobody().with("Cookie", Pages.cookies(signedIn)).with("Sec-Fetch-Site", "same-origin");
    Reply me = browser.get("/api/auth/me");
    assertThat(me.status()).as(me.toString()).isEqualTo(200);
    return browser;
  }

  /** Awaits the record of a first step that is right, which is written beside the answer. */
  static void awaitLogin(TestService service, String change) {
    String logins = "/api/audit?kind=login";
    long end = System.nanoTime() + 20_000_000_000L;
    while (!service.admin().get(logins).text().contains(change) && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(service.admin().get(logins).text()).contains(change);
  }
}
