package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import java.util.Map;

/** Passports that somebody without an account asks for. */
public final class Issuing {
  /** Settings by which one address may ask for any number of passports. */
  public static final Map<String, String> UNLIMITED =
      Map.of("RATE_ISSUE_PER_ADDRESS_PER_HOUR", "0", "RATE_ISSUE_PER_EMAIL_PER_DAY", "0");

  private Issuing() {}

  public static Reply issue(TestService at, String name, String email) {
    return issue(at.nobody(), name, email);
  }

  public static Reply issue(Calls calls, String name, String email) {
    JsonObject body =
        JsonObject.builder()
            .put("name", name)
            .put("description", "An agent of the tests.")
            .put("email", email)
            .put("framework", "mcp")
            .build();
    Reply reply = calls.post("/api/issue", body);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    return reply;
  }
}
