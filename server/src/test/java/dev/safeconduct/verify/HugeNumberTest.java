package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A number no double holds is JSON all the same: whoever is judged by it is denied, whoever wants
 * to keep it is told.
 */
final class HugeNumberTest {
  @ParameterizedTest
  @ValueSource(strings = {"1e400", "-1E+999", "1e309"})
  void isJudgedAsNoNumberAndNeverKept(String number) {
    try (TestService service = TestService.start()) {
      String question =
          Questions.command(Questions.hosted(service, 10), "git status")
              .toString()
              .replace("}}", ",\"%s\":" + number + "}}");
      Reply wrong = service.owner().post(Questions.COMMAND, question.formatted("timeout"));
      assertThat(Questions.code(wrong)).isEqualTo("oap.invalid_context");

      Reply ignored = service.owner().post(Questions.COMMAND, question.formatted("unheard_of"));
      assertThat(Questions.code(ignored)).isEqualTo("oap.allowed");
      Reply record = service.owner().get("/api/audit/" + ignored.string("decision_id"));
      assertThat(record.text()).contains("\"unheard_of\":" + number);
      Reply again = service.owner().get("/api/audit?agent_id=" + ignored.string("agent_id"));
      assertThat(again.text()).contains("\"unheard_of\":" + number);

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
