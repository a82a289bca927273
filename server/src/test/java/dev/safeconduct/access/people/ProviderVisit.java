package dev.safeconduct.access.people;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestProvider;
import dev.safeconduct.testkit.TestService;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A browser on its way to the provider and back.
 *
 * @param cookie what the service gave it
 * @param request the address at the provider
 */
record ProviderVisit(TestProvider provider, String cookie, URI request) {
  static ProviderVisit begin(TestService service, TestProvider provider, String next) {
    Reply reply = service.nobody().get("/console/sign-in/provider?next=" + encoded(next));
    if (reply.status() != 303) {
      throw new AssertionError("no redirect: " + reply);
    }
    return new ProviderVisit(
        provider, Pages.cookies(reply), URI.create(reply.header("Location").orElseThrow()));
  }

  /** Signs in with the usual claims of the person. */
  static Reply signIn(TestService service, TestProvider provider, JWTClaimsSet.Builder claims) {
    ProviderVisit visit = begin(service, provider, "");
    return visit.back(service, provider.signIn(visit.request(), claims, UnaryOperator.identity()));
  }

  /** Signs in and returns the calls of the browser. */
  static Calls signedIn(TestService service, TestProvider provider, JWTClaimsSet.Builder claims) {
    Reply reply = signIn(service, provider, claims);
    if (reply.status() != 303) {
      throw new AssertionError("not signed in: " + reply);
    }
    Calls browser =
        service.nobody().with("Cookie", Pages.cookies(reply)).with("Sec-Fetch-Site", "same-origin");
    return browser.with("X-CSRF-Token", browser.get("/api/auth/me").string("csrf_token"));
  }

  static JWTClaimsSet.Builder person(
      TestProvider provider, String subject, String email, String... groups) {
    return provider
        .claims(subject)
        .claim("email", email)
        .claim("email_verified", true)
        .claim("name", "Person " + subject)
        .claim("groups", List.of(groups));
  }

  String state() {
    return String.valueOf(TestProvider.query(request).get("state"));
  }

  /** Comes back with the code. */
  Reply back(TestService service, String code) {
    return answer(service, "code=" + code + "&state=" + encoded(state()));
  }

  Reply answer(TestService service, String query) {
    return service
        .nobody()
        .with("Cookie", cookie)
        .with("Sec-Fetch-Site", "cross-site")
        .get("/console/sign-in/callback?" + query);
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
