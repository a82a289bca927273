package dev.safeconduct.decision.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON in which ' stands for ". */
class MessageRulesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                         | {}                                | true
          {'channels_allowlist':['ops']}                             | {}                                | true
          {'channels_allowlist':['*']}                               | {}                                | true
          {'channels_allowlist':['Ops']}                             | {}                                | false
          {'channels_allowlist':[]}                                  | {}                                | false
          {'channels_allowlist':'ops'}                               | {}                                | false
          {'allowed_channels':['hr']}                                | {}                                | false
          {'allowed_channels':['ops']}                               | {}                                | true
          {'channels_allowlist':['ops'],'allowed_channels':['hr']}   | {}                                | true
          {'channels_allowlist':null,'allowed_channels':['hr']}      | {}                                | false
          {}                                                         | {'channels_allowlist':['hr']}     | false
          {}                                                         | {'channels_allowlist':'hr, ops,'} | true
          {}                                                         | {'channels_allowlist':'*'}        | true
          {}                                                         | {'channels_allowlist':''}         | false
          {}                                                         | {'channels_allowlist':' , '}      | false
          {}                                                         | {'channels_allowlist':7}          | false
          {}                                                         | {'channels_allowlist':null}       | true
          {}                                                         | {'allowed_channels':['hr']}       | true
          {'channels_allowlist':['ops']}                             | {'channels_allowlist':['hr']}     | false
          {'channels_allowlist':['hr']}                              | {'channels_allowlist':['ops']}    | false
          """)
  void channels(String limits, String params, boolean passes) {
    assertThat(passes("validateMessageChannel", limits, params, "{'channel_id':'ops'}"))
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
        .isInstanceOf(Verdict.Fail.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                        | {'recipient':'x'}                       | true
          {'allowed_recipients':null}               | {'recipient':'x'}                       | true
          {'allowed_recipients':['a','b']}          | {'recipient':'a','recipients':['b']}    | true
          {'allowed_recipients':['a','b']}          | {'recipient':'a','recipients':['c']}    | false
          {'allowed_recipients':['a']}              | {'recipient':'A'}                       | false
          {'allowed_recipients':[{'id':'a'}]}       | {'recipient':'a'}                       | true
          {'allowed_recipients':[{'id':5},5,null]}  | {'recipient':'5'}                       | false
          {'allowed_recipients':[{'name':'a'}]}     | {'recipient':'a'}                       | false
          {'allowed_recipients':['*']}              | {'recipient':'x'}                       | true
          {'allowed_recipients':[{'id':'*'}]}       | {'recipient':'x'}                       | false
          {'allowed_recipients':[]}                 | {'recipient':'x'}                       | false
          {'allowed_recipients':'*'}                | {'recipient':'x'}                       | false
          {'allowed_recipients':{'id':'x'}}         | {'recipient':'x'}                       | false
          {'allowed_recipients':['']}               | {'recipients':['']}                     | false
          {'allowed_recipients':['ops']}            | {'channel_id':'ops'}                    | true
          {'allowed_recipients':['ops']}            | {'channel_id':'ops','recipients':[]}    | true
          {'allowed_recipients':['a']}              | {'channel_id':'ops'}                    | false
          {'allowed_recipients':['a']}              | {'channel_id':'ops','recipient':'a'}    | true
          {'allowed_recipients':['ops']}            | {'channel_id':'ops','recipient':'a'}    | false
          """)
  void recipients(String limits, String context, boolean passes) {
    assertThat(passes("validateMessageRecipients", limits, "{}", context)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                        | {}                        | {'recipients':['a','b','c']}              | true
          {'max_recipients':2}      | {}                        | {'recipient':'a','recipients':['b']}      | true
          {'max_recipients':2}      | {}                        | {'recipient':'a','recipients':['a','a']}  | false
          {'max_recipients':0}      | {}                        | {'recipient':'a'}                         | false
          {'max_recipients':0}      | {}                        | {'recipients':[]}                         | true
          {'max_recipients':'2'}    | {}                        | {'channel_id':'a'}                        | true
          {'max_recipients':'2'}    | {}                        | {'recipient':'a'}                         | false
          {'max_recipients':-1}     | {}                        | {'recipient':'a'}                         | false
          {}                        | {'max_recipients':1}      | {'recipients':['a','b']}                  | false
          {'max_recipients':9}      | {'max_recipients':1}      | {'recipients':['a','b']}                  | false
          {'max_recipients':1}      | {'max_recipients':9}      | {'recipients':['a','b']}                  | false
          {}                        | {'max_recipients':'9'}    | {'recipient':'a'}                         | false
          """)
  void recipientCount(String limits, String params, String context, boolean passes) {
    assertThat(passes("validateMessageRecipientCount", limits, params, context)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # limits                      | params                         | plain | a person | everybody
          {}                            | {}                             | true  | true     | false
          {'mention_policy':null}       | {}                             | true  | true     | false
          {'mention_policy':'limited'}  | {}                             | true  | true     | false
          {'mention_policy':'all'}      | {}                             | true  | true     | true
          {'mention_policy':'none'}     | {}                             | true  | false    | false
          {'mention_policy':'All'}      | {}                             | true  | false    | false
          {'mention_policy':''}         | {}                             | true  | false    | false
          {'mention_policy':true}       | {}                             | true  | false    | false
          {'mention_policy':'all'}      | {'mention_policy':'limited'}   | true  | true     | false
          {'mention_policy':'all'}      | {'mention_policy':'none'}      | true  | false    | false
          {'mention_policy':'none'}     | {'mention_policy':'all'}       | true  | false    | false
          {'mention_policy':'all'}      | {'mention_policy':'all'}       | true  | true     | true
          {}                            | {'mention_policy':'all'}       | true  | true     | true
          """)
  void mentionPolicies(
      String limits, String params, boolean plain, boolean person, boolean everybody) {
    String rule = "validateMessageMentions";

    assertThat(passes(rule, limits, params, "{'message':'hi','mentions':[]}")).isEqualTo(plain);
    assertThat(passes(rule, limits, params, "{'message':'hi','mentions':['@ana']}"))
        .isEqualTo(person);
    assertThat(passes(rule, limits, params, "{'message':'@all hi'}")).isEqualTo(everybody);
    assertThat(passes(rule, limits, params, "{'message':'hi','mentions':['here']}"))
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
    assertThat(GroupMention.isIn(text)).isEqualTo(inText);
    assertThat(GroupMention.isMeantBy(text)).isEqualTo(asEntry);
  }

  private static boolean passes(String validator, String limits, String params, String context) {
    return call(validator, object(limits), List.of(object(params)), object(context))
        .equals(Verdict.pass());
  }

  private static Verdict call(
      String validator, JsonObject limits, List<JsonObject> params, JsonObject context) {
    return Objects.requireNonNull(MessageValidators.all().get(validator))
        .check(new Facts(JsonObject.EMPTY, context, new Limits(limits), params));
  }

  private static JsonObject object(String text) {
    try {
      return Json.parseObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
