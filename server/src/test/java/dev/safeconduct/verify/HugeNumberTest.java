package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.RawJson;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.SignedText;
import dev.safeconduct.testkit.TestService;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A number no double holds is JSON all the same. An action that has one anywhere is denied, and its
 * digest is one that any RFC 8785 library computes: with the number's text as a string.
 */
final class HugeNumberTest {
  @ParameterizedTest
  @ValueSource(strings = {"1e400", "-1E+999", "1e309"})
  void isDeniedAndNeverKept(String number) throws Exception {
    try (TestService service = TestService.start()) {
      String question =
          Questions.command(Questions.hosted(service, 10), "git status")
              .toString()
              .replace("}}", ",\"%s\":" + number + "}}");
      Reply wrong = service.owner().post(Questions.COMMAND, question.formatted("timeout"));
      assertThat(Questions.code(wrong)).isEqualTo("oap.invalid_context");

      Reply ignored = service.owner().post(Questions.COMMAND, question.formatted("unheard_of"));
      assertThat(Questions.code(ignored)).isEqualTo("oap.invalid_context");
      assertThat(ignored.text()).contains("unheard_of is a number too large for a double");
      String told = RawJson.member(RawJson.members(question.formatted("unheard_of")), "context");
      assertThat(ignored.string("context_digest"))
          .isEqualTo(SignedText.digest(told.replace(number, '"' + number + '"')));

      // The digest is that of the string, but the request is another one.
      Calls once = service.owner().with("Idempotency-Key", "once");
      String harmless = question.formatted("unheard_of").replace(number, '"' + number + '"');
      assertThat(Questions.code(once.post(Questions.COMMAND, harmless))).isEqualTo("oap.allowed");
      assertThat(once.post(Questions.COMMAND, question.formatted("unheard_of")).status())
          .isEqualTo(409);
      // No pack declares it.
      Reply record = service.owner().get("/api/audit/" + ignored.string("decision_id"));
      assertThat(record.text()).contains("type:number").doesNotContain(": " + number);

      String sent =
          Questions.message("ap_huge")
              .with("passport", Questions.passport("ap_huge", 77))
              .toString()
              .replace("\"msgs_per_day\":77", "\"msgs_per_day\":" + number);
      assertThat(Questions.code(service.owner().post(Questions.MESSAGE, sent)))
          .isEqualTo("oap.rate_limit_exceeded");

      Reply refused =
          service
              .owner()
              .post("/api/passports", "{\"name\":\"x\",\"limits\":{\"a\":[" + number + "]}}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text()).contains("limits.a[0] is a number too large");
    }
  }
}
