package dev.safeconduct.authzen;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.verify.Concurrently;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Answers a batch of independent evaluations (AuthZEN section 7). */
final class EvaluateAll {
  private static final List<String> ENTITIES = List.of("subject", "action", "resource");

  private final Evaluate evaluate;

  EvaluateAll(Evaluate evaluate) {
    this.evaluate = evaluate;
  }

  /** The effect of one answer on the following evaluations (section 7.1.2.1). */
  enum Semantic {
    EXECUTE_ALL,
    DENY_ON_FIRST_DENY,
    PERMIT_ON_FIRST_PERMIT;

    private boolean endsAt(Answer answer) {
      return switch (this) {
        case EXECUTE_ALL -> false;
        case DENY_ON_FIRST_DENY -> !answer.decision();
        case PERMIT_ON_FIRST_PERMIT -> answer.decision();
      };
    }
  }

  /**
   * Returns the answers in the order of the items, up to the answer that ended the batch.
   *
   * @param defaults the request, whose members are the defaults of the items
   */
  List<Answer> run(
      AuthzenCaller asker, JsonObject defaults, List<JsonValue> items, Semantic semantic) {
    if (semantic == Semantic.EXECUTE_ALL) {
      return Concurrently.run(
          items.stream().<Callable<Answer>>map(item -> () -> one(asker, defaults, item)).toList());
    }
    var answers = new ArrayList<Answer>();
    for (JsonValue item : items) {
      Answer answer = one(asker, defaults, item);
      answers.add(answer);
      if (semantic.endsAt(answer)) {
        break;
      }
    }
    return answers;
  }

  /** Answers one item. An invalid item is a deny; a failure of the service fails the batch. */
  private Answer one(AuthzenCaller asker, JsonObject defaults, JsonValue item) {
    try {
      if (!(item instanceof JsonObject own)) {
        return Answer.error(400, "An element of evaluations must be an object.");
      }
      return evaluate.run(asker.ofMany(), EvaluationRequest.read(filled(defaults, own)));
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.InvalidRequest invalid) {
        return Answer.malformed(invalid);
      }
      throw e;
    }
  }

  /**
   * Returns the item with its missing defaults (section 7.1.1). An entity of the item replaces the
   * whole default entity, except that missing identifying members come from the default.
   */
  private static JsonObject filled(JsonObject defaults, JsonObject item) {
    JsonObject.Builder filled = JsonObject.builder();
    for (String name : ENTITIES) {
      JsonValue own = item.present(name);
      JsonValue standard = defaults.present(name);
      if (own == null && standard != null) {
        filled.put(name, standard);
      } else if (own instanceof JsonObject entity && standard instanceof JsonObject given) {
        filled.put(name, identified(entity, given));
      } else if (own != null) {
        filled.put(name, own);
      }
    }
    JsonValue context = item.present("context");
    JsonValue given = context == null ? defaults.present("context") : context;
    return (given == null ? filled : filled.put("context", given)).build();
  }

  private static JsonObject identified(JsonObject entity, JsonObject standard) {
    JsonObject.Builder all = entity.toBuilder();
    for (String name : List.of("type", "id", "name")) {
      JsonValue value = standard.present(name);
      if (value != null && entity.present(name) == null) {
        all.put(name, value);
      }
    }
    return all.build();
  }
}
