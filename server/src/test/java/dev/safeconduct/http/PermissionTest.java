package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawConnection.Answer;
import dev.safeconduct.identity.Scope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PermissionTest {
  private final Endpoint whoami =
      request ->
          Response.bytes(
              200, "text/plain", request.caller().name().getBytes(StandardCharsets.UTF_8));
  private final TestServer server = new TestServer(routes());
  private final TestServer anonymous = new TestServer(Map.of("ANONYMOUS_VERIFY", "true"), routes());

  private Route[] routes() {
    return new Route[] {
      Route.get("/open", Permission.OPEN, whoami),
      Route.get("/optional", Permission.OPTIONAL_CREDENTIAL, whoami),
      Route.get("/read", Permission.scope(Scope.READ), whoami),
      Route.get("/verify", new Permission.ScopedOrAnonymous(Scope.READ), whoami),
      Route.get("/admin", Permission.ADMIN_ONLY, whoami),
      Route.get("/hook-test", new Permission.AdminOrUnauthorized(), whoami)
    };
  }

  @AfterAll
  void stop() {
    server.close();
    anonymous.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          credential                                        | open | optional | read | verify | admin | hook-test
          none                                              | 200  | 200      | 401  | 401    | 401   | 401
          X-API-Key: reader                                 | 200  | 200      | 200  | 200    | 403   | 401
          X-API-Key: bare                                   | 200  | 200      | 403  | 403    | 403   | 401
          X-API-Key: wrong                                  | 200  | 401      | 401  | 401    | 401   | 401
          Authorization: Bearer reader                      | 200  | 200      | 200  | 200    | 403   | 401
          Authorization: bearer reader                      | 200  | 200      | 200  | 200    | 403   | 401
          Authorization: Bearer the-admin-token             | 200  | 200      | 200  | 200    | 200   | 200
          X-API-Key: the-admin-token                        | 200  | 401      | 401  | 401    | 401   | 401
          Authorization: Basic cmVhZGVyOg==                 | 200  | 401      | 401  | 401    | 401   | 401
          Authorization: Bearer                             | 200  | 401      | 401  | 401    | 401   | 401
          Authorization: reader                             | 200  | 401      | 401  | 401    | 401   | 401
          X-API-Key: reader~Authorization: Bearer reader    | 200  | 200      | 200  | 200    | 403   | 401
          X-API-Key: reader~Authorization: Bearer bare      | 200  | 401      | 401  | 401    | 401   | 401
          X-API-Key: reader~X-API-Key: bare                 | 200  | 401      | 401  | 401    | 401   | 401
          X-API-Key: reader~Authorization: Basic cmVhZGVyOg | 200  | 401      | 401  | 401    | 401   | 401
          X-API-Key: limited                                | 200  | 429      | 429  | 429    | 429   | 429
          """,
      useHeadersInDisplayName = true)
  void whoMayCallWhat(
      String credential, int open, int optional, int read, int verify, int admin, int hookTest)
      throws IOException {
    String headers =
        credential.equals("none") ? "" : credential.replace("~", "\r\n").concat("\r\n");
    assertThat(server.get("/open", headers).status()).isEqualTo(open);
    assertThat(server.get("/optional", headers).status()).isEqualTo(optional);
    assertThat(server.get("/read", headers).status()).isEqualTo(read);
    assertThat(server.get("/verify", headers).status()).isEqualTo(verify);
    assertThat(server.get("/admin", headers).status()).isEqualTo(admin);
    assertThat(server.get("/hook-test", headers).status()).isEqualTo(hookTest);
  }

  @Test
  void aMissingCredentialIsNamedWithItsHeader() throws IOException {
    assertThat(server.get("/admin", "").text())
        .contains("an API key in X-API-Key", "the admin token as Authorization: Bearer");
  }

  @Test
  void anonymousVerifyTakesNoCredentialButNoBadOneEither() throws IOException {
    assertThat(anonymous.get("/verify", "").text()).isEqualTo("anonymous");
    assertThat(anonymous.get("/verify", TestServer.READER).text()).isEqualTo("key:reader");
    assertThat(anonymous.get("/verify", TestServer.BARE).status()).isEqualTo(403);
    assertThat(anonymous.get("/verify", "X-API-Key: wrong\r\n").status()).isEqualTo(401);
    assertThat(anonymous.get("/read", "").status()).isEqualTo(401);
  }

  @Test
  void a401OffersTheApiKeyAndNothingElse() throws IOException {
    Answer answer = server.get("/read", "");
    assertThat(answer.header("WWW-Authenticate"))
        .contains("ApiKey realm=\"safeconduct\", Bearer realm=\"safeconduct\"");
    assertThat(answer.json().string("code")).contains("unauthorized");
  }

  @Test
  void a429SaysWhenToComeBack() throws IOException {
    Answer answer = server.get("/read", "X-API-Key: limited\r\n");
    assertThat(answer.header("Retry-After")).contains("7");
    assertThat(answer.text()).contains("\"retry_after\":7", "\"retryAfter\":7", "127.0.0.1");
  }
}
