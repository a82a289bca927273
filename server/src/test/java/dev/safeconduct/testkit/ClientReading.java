package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where the open clients look for a decision in the answer of a verify call. */
public enum ClientReading {
  /** The older Node SDK and all that was made of it. */
  FLAT {
    @Override
    public JsonObject decision(JsonObject answer) {
      return answer;
    }
  },
  /** The newer SDKs, the guardrail packages and plugins. */
  NESTED_ELSE_FLAT {
    @Override
    public JsonObject decision(JsonObject answer) {
      return answer.object("decision").orElse(answer);
    }
  },
  /** The guardrail package's call that waits: a truthy {@code error} is a failure before all. */
  ERROR_FIRST {
    @Override
    public JsonObject decision(JsonObject answer) {
      assertThat(answer.has("error")).as("a member error").isFalse();
      return NESTED_ELSE_FLAT.decision(answer);
    }
  },
  /** The command line, the pull request action: what is flat they do not see. */
  DATA_ELSE_NESTED {
    @Override
    public JsonObject decision(JsonObject answer) {
      return answer
          .object("data")
          .flatMap(data -> data.object("decision"))
          .or(() -> answer.object("decision"))
          .orElseThrow();
    }
  },
  /** The issuing site: once it sees {@code data} it looks nowhere else. */
  NESTED_ELSE_DATA {
    @Override
    public JsonObject decision(JsonObject answer) {
      return answer.object("decision").or(() -> answer.object("data")).orElseThrow();
    }
  },
  /** The command line's policy check. */
  VERIFIED {
    @Override
    public JsonObject decision(JsonObject answer) {
      JsonObject decision = answer.object("decision").orElseThrow();
      assertThat(answer.get("verified")).isEqualTo(decision.get("allow"));
      assertThat(answer.string("reason")).isEqualTo(first(decision).string("message"));
      assertThat(answer.object("passport")).isPresent();
      assertThat(answer.object("policy").flatMap(policy -> policy.string("name"))).isPresent();
      return decision;
    }
  },
  /** The older Python SDK: its constructor takes these names and no other. */
  EXACTLY_EIGHT {
    @Override
    public JsonObject decision(JsonObject answer) {
      assertThat(answer.names())
          .isEqualTo(
              Set.of(
                  "decision_id",
                  "allow",
                  "reasons",
                  "assurance_level",
                  "expires_in",
                  "passport_digest",
                  "signature",
                  "created_at"));
      return answer;
    }
  };

  public abstract JsonObject decision(JsonObject answer);

  /** The client finds this outcome, and all it needs beside. */
  public void finds(JsonObject answer, boolean allow, String code) {
    JsonObject decision = decision(answer);
    assertThat(decision.get("allow")).isEqualTo(JsonBoolean.of(allow));
    assertThat(decision.string("decision_id").orElse("")).isNotEmpty();
    for (JsonValue reason : decision.array("reasons").orElse(JsonArray.EMPTY).elements()) {
      assertThat(text(reason, "code")).startsWith("oap.");
      assertThat(text(reason, "message")).isNotEmpty();
      assertThat(text(reason, "severity")).isIn("info", "warning", "error");
    }
    assertThat(first(decision).string("code")).contains(code);
    assertThat(decision.string("assurance_level").orElse("")).startsWith("L");
    // A hash of the decision that a client cannot repeat makes it block what was allowed.
    assertThat(decision.has("content_hash")).isFalse();
  }

  private static JsonObject first(JsonObject decision) {
    return (JsonObject) decision.array("reasons").orElseThrow().get(0);
  }

  private static String text(@Nullable JsonValue object, String name) {
    JsonValue value = ((JsonObject) Objects.requireNonNull(object)).get(name);
    return ((JsonString) Objects.requireNonNull(value)).value();
  }
}
