package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.Arrays;
import java.util.List;

/** Several questions at once. */
public final class Batches {
  public static final String BATCH = "/api/verify/batch";

  private Batches() {}

  public static JsonObject of(List<JsonObject> evaluations) {
    return JsonObject.builder()
        .put("evaluations", new JsonArray(List.<JsonValue>copyOf(evaluations)))
        .build();
  }

  public static JsonObject of(JsonObject... evaluations) {
    return of(Arrays.asList(evaluations));
  }

  /** May the agent run the command? */
  public static JsonObject command(String agent, String command) {
    return of("system.command.execute.v1", Questions.command(agent, command));
  }

  /** May the agent send a message? */
  public static JsonObject message(String agent) {
    return of("messaging.message.send.v1", Questions.message(agent));
  }

  /** The question as an evaluation by the pack. */
  public static JsonObject of(String policy, JsonObject question) {
    return JsonObject.builder().put("policy_id", policy).putAll(question).build();
  }

  /** The answers of a batch that went through. */
  public static List<JsonObject> decisions(Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().names()).containsExactly("decisions");
    return reply.json().array("decisions").orElseThrow().elements().stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  public static List<JsonObject> ask(Calls calls, JsonObject... evaluations) {
    return decisions(calls.post(BATCH, of(evaluations)));
  }

  /** The code of the reason, or the error's status where it could not be judged. */
  public static String outcome(JsonObject answer) {
    if (answer.has("decision_id")) {
      return Questions.code(answer);
    }
    assertThat(answer.names()).containsExactly("allow", "error");
    assertThat(answer.isTrue("allow")).isFalse();
    JsonObject error = answer.object("error").orElseThrow();
    assertThat(error.isTrue("allow")).isFalse();
    return Long.toString(Questions.number(error, "status_code"));
  }

  public static List<String> outcomes(List<JsonObject> answers) {
    return answers.stream().map(Batches::outcome).toList();
  }
}
