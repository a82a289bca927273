package dev.safeconduct.decision.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.CaseSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON in which ' stands for ". */
class MessageRulesTest {
  @ParameterizedTest
  @CaseSource("message.json")
  void channels(JsonObject limits, JsonObject params, boolean passes) {
    assertThat(passes("validateMessageChannel", limits, params, object("{'channel_id':'ops'}")))
        .isEqualTo(passes);
  }

  @Test
  void everyHeldCapabilityTightens() {
    List<JsonObject> params =
        List.of(object("{'max_recipients':5}"), object("{'max_recipients':1}"));

    assertThat(
            call(
                "validateMessageRecipientCount",
                object("{}"),
                params,
                object("{'recipients':['a','b']}")))
        .isInstanceOf(RuleResult.Fail.class);
  }

  @ParameterizedTest
  @CaseSource("message.json")
  void recipients(JsonObject limits, JsonObject context, boolean passes) {
    assertThat(passes("validateMessageRecipients", limits, JsonObject.EMPTY, context))
        .isEqualTo(passes);
  }

  @ParameterizedTest
  @CaseSource("message.json")
  void recipientCount(JsonObject limits, JsonObject params, JsonObject context, boolean passes) {
    assertThat(passes("validateMessageRecipientCount", limits, params, context)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CaseSource("message.json")
  void mentionPolicies(
      JsonObject limits, JsonObject params, boolean plain, boolean person, boolean everybody) {
    String rule = "validateMessageMentions";

    assertThat(passes(rule, limits, params, object("{'message':'hi','mentions':[]}")))
        .isEqualTo(plain);
    assertThat(passes(rule, limits, params, object("{'message':'hi','mentions':['@ana']}")))
        .isEqualTo(person);
    assertThat(passes(rule, limits, params, object("{'message':'@all hi'}"))).isEqualTo(everybody);
    assertThat(passes(rule, limits, params, object("{'message':'hi','mentions':['here']}")))
        .isEqualTo(everybody);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # text                    | group mention as text | as an entry of mentions
          @everyone                 | true  | true
          @HERE                     | true  | true
          hey @channel, lunch       | true  | true
          (@all)                    | true  | true
          @@all                     | true  | true
          é@all                     | true  | true
          @allé                     | true  | true
          @all@allx                 | true  | true
          @allx @all                | true  | true
          a@all                     | false | false
          9@all                     | false | false
          _@all                     | false | false
          @alles                    | false | false
          @all_hands                | false | false
          @here2                    | false | false
          bob@all.example           | false | false
          @all.example              | true  | true
          @ all                     | false | false
          everyone                  | false | true
          ' All '                   | false | true
          channel                   | false | true
          everyone!                 | false | false
          team                      | false | false
          <!everyone>               | true  | true
          <!here^here>              | true  | true
          x<!CHANNEL                | true  | true
          <!all>                    | false | false
          ＠ｅｖｅｒｙｏｎｅ        | true  | true
          @every\u200bone           | true  | true
          @\u2060here               | true  | true
          ｅｖｅｒｙｏｎｅ          | false | true
          ''                        | false | false
          """)
  void groupMentions(String text, boolean inText, boolean asEntry) {
    assertThat(MessageRules.mentionsGroup(text)).isEqualTo(inText);
    assertThat(MessageRules.meansGroup(text)).isEqualTo(asEntry);
  }

  private static boolean passes(
      String validator, JsonObject limits, JsonObject params, JsonObject context) {
    return call(validator, limits, List.of(params), context).equals(RuleResult.pass());
  }

  private static RuleResult call(
      String validator, JsonObject limits, List<JsonObject> params, JsonObject context) {
    return Objects.requireNonNull(Validators.all().get(validator))
        .check(new Facts(Capabilities.NONE, context, new Limits(limits), params));
  }

  private static JsonObject object(String text) {
    try {
      return Json.parseObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
