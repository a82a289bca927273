package dev.safeconduct.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.WallClock;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RedactionTest {
  private static final Redaction REDACTION = new Redaction(new byte[32]);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer hunter2hunter2",
        "bearer\thunter2hunter2",
        "sk_live_hunter2hunter2",
        "sck_hunter2hunter2hunter2",
        "sca_hunter2hunter2hunter2",
        "scr_hunter2hunter2hunter2",
        "whsec_hunter2hunter2hunter2",
        "export AWS_SECRET_ACCESS_KEY=hunter2",
        "private-key: hunter2",
        "sk-hunter2hunter2",
        "AKIAHUNTER2HUNTER2XX",
        "ghp_hunter2hunter2hunter2hunter2",
        "xoxb-hunter2hunter2",
        "-----BEGIN PRIVATE KEY-----\nhunter2hunter2\n-----END PRIVATE KEY-----",
        "eyJhbGciOiJ.hunter2hunter2.hunter2",
        "bearer\nhunter2hunter2",
        "Authorization: Bearer hunter2hunter2",
        "authorization: token hunter2",
        "{\"password\":\"hunter2\"}",
        "{\\\"api_key\\\": \\\"hunter2\\\"}",
        "PGPASSWORD=hunter2 psql",
        "client_secret = 'two hunter2 words'",
        "--password hunter2",
        "https://x.example/?token=hunter2&a=b",
        "https://me:hunter2@x.example/",
      })
  void secretLookingTextsAreReplacedWhereverTheyStand(String secret) throws JsonFault {
    for (String context :
        new String[] {
          "{\"command\":%s}", "{\"args\":[\"x\",%s]}", "{\"a\":{\"b\":[{\"c\":%s}]}}"
        }) {
      for (String text : new String[] {secret, "curl -H 'X: " + secret + "' https://x.example"}) {
        JsonObject redacted =
            REDACTION.of(
                json(context.formatted(Json.text(new dev.safeconduct.json.JsonString(text)))));
        assertThat(Json.text(redacted).toLowerCase(java.util.Locale.ROOT))
            .doesNotContain("hunter2")
            .contains("[redacted hmac-sha256:");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "password",
        "credentials",
        "DB_PASSWD",
        "clientSecret",
        "auth_token",
        "apiKey",
        "pwd",
        "Cookie"
      })
  void valuesUnderSecretLookingNamesAreReplaced(String name) throws JsonFault {
    JsonObject redacted =
        REDACTION.of(
            json("{\"env\":{\"%s\":\"plain\"},\"x\":[{\"%s\":42}]}".formatted(name, name)));
    assertThat(Json.text(redacted)).doesNotContain("plain").doesNotContain("42}");
    JsonObject inside =
        REDACTION.of(json("{\"%s\":[\"plain\",{\"a\":[[42]],\"b\":true}]}".formatted(name)));
    assertThat(Json.text(inside)).doesNotContain("plain").doesNotContain("42]").contains("true");
  }

  /** An object of very many secrets takes time in proportion to its size. */
  @Tag("timing")
  @Test
  void manySecretsAreReplacedInOnePass() {
    JsonObject.Builder many = JsonObject.builder();
    for (int i = 0; i < 50_000; i++) {
      many.put("key" + i, "plain");
    }
    JsonObject object = many.build();
    assertThat(WallClock.within(Duration.ofSeconds(20), () -> REDACTION.of(object)).size())
        .isEqualTo(50_000);
  }

  @Test
  void fileContentsAreKeptAsHmacAndLength() throws JsonFault {
    String content = "x".repeat(1025);
    JsonObject redacted = REDACTION.of(json("{\"content\":\"" + content + "\"}"));
    assertThat(redacted.string("content").orElseThrow())
        .startsWith("[redacted hmac-sha256:")
        .endsWith("length:1025]");
    JsonObject kept = json("{\"content\":\"" + "x".repeat(1024) + "\"}");
    assertThat(REDACTION.of(kept)).isEqualTo(kept);
  }

  @Test
  void harmlessContextsAreKeptAsTheyAre() throws JsonFault {
    JsonObject context =
        json(
            "{\"command\":\"git commit -m 'Actor basic_x: key to tokens, a=b'\",\"cwd\":\"/a-b_c\",\"timeout\":30}");
    assertThat(REDACTION.of(context)).isEqualTo(context);
  }

  @Test
  void theSameSecretLeavesTheSameMarkUnderTheSameKeyOnly() {
    String text = "Bearer abcdefgh";
    assertThat(REDACTION.text(text)).isEqualTo(REDACTION.text(text));
    byte[] other = new byte[32];
    other[0] = 1;
    assertThat(new Redaction(other).text(text)).isNotEqualTo(REDACTION.text(text));
  }

  private static JsonObject json(String text) throws JsonFault {
    return (JsonObject) Json.parse(text);
  }
}
