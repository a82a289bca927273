package dev.safeconduct.authzen;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.verify.BatchEndpoint;
import dev.safeconduct.verify.VerifyAll;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

/** The five endpoints of the OpenID AuthZEN Authorization API 1.0. */
public final class AuthzenEndpoints {
  private static final List<String> ENTITIES = List.of("subject", "action", "resource");

  static final String EVALUATION = "/access/v1/evaluation";
  static final String EVALUATIONS = "/access/v1/evaluations";
  static final String SEARCH_SUBJECT = "/access/v1/search/subject";
  static final String SEARCH_RESOURCE = "/access/v1/search/resource";
  static final String SEARCH_ACTION = "/access/v1/search/action";

  /** The header with the ids of the recorded decisions; a dash if there is no decision. */
  private static final String DECISION_IDS = "Safeconduct-Decision-Id";

  private static final Permission READ = Permission.scope(Scope.READ);

  private final Evaluate evaluate;
  private final Search search;
  private final ActingOrganization organization;

  public AuthzenEndpoints(Evaluate evaluate, Search search, ActingOrganization organization) {
    this.evaluate = evaluate;
    this.search = search;
    this.organization = organization;
  }

  public List<Route> routes() {
    return List.of(
        Route.post(EVALUATION, READ, this::evaluation).authzen(),
        Route.post(EVALUATIONS, READ, this::evaluations).authzen(),
        search(SEARCH_SUBJECT, search::subjects),
        search(SEARCH_RESOURCE, search::resources),
        search(SEARCH_ACTION, search::actions));
  }

  private Response evaluation(Request request) {
    return single(request, request.json());
  }

  private Response single(Request request, JsonObject body) {
    EvaluationRequest evaluation = EvaluationRequest.read(body);
    Answer answer = evaluate.run(asker(request), evaluation);
    return Response.json(200, answer.json()).header(DECISION_IDS, id(answer));
  }

  private Response evaluations(Request request) {
    JsonObject body = request.json();
    Optional<JsonArray> list = BatchEndpoint.evaluations(body);
    Semantic semantic = semantic(body);
    if (list.isEmpty() || list.get().isEmpty()) {
      return single(request, body);
    }
    JsonArray items = list.get();
    request.several().count(items.size());
    List<Answer> answers = all(asker(request), body, items.elements(), semantic);
    JsonArray all = new JsonArray(answers.stream().map(a -> (JsonValue) a.json()).toList());
    return Response.json(JsonObject.of("evaluations", all)).header(DECISION_IDS, ids(answers));
  }

  /** Section 7.1.2.1; other options are ignored. */
  private static Semantic semantic(JsonObject body) {
    Optional<Members> options = Members.of(body).members("options");
    JsonValue value =
        options.map(Members::object).orElse(JsonObject.EMPTY).present("evaluations_semantic");
    if (value == null) {
      return Semantic.EXECUTE_ALL;
    }
    for (Semantic each : Semantic.values()) {
      if (value.equals(new JsonString(each.name().toLowerCase(Locale.ROOT)))) {
        return each;
      }
    }
    throw ProblemException.invalid(
        "options.evaluations_semantic",
        "options.evaluations_semantic must be execute_all, deny_on_first_deny or"
            + " permit_on_first_permit.");
  }

  private static String ids(List<Answer> answers) {
    return String.join(", ", answers.stream().map(AuthzenEndpoints::id).toList());
  }

  private static String id(Answer answer) {
    return answer.decisionId().orElse("-");
  }

  /** A search over the members of the request. */
  @FunctionalInterface
  private interface Lookup {
    Search.Found among(AuthzenCaller asker, JsonObject body, Page page);
  }

  private Route search(String path, Lookup lookup) {
    return Route.post(
            path,
            READ,
            request -> {
              JsonObject sent = request.json();
              // An action in a search for actions is ignored.
              JsonObject body = path.equals(SEARCH_ACTION) ? sent.without("action") : sent;
              return found(lookup.among(asker(request), body, Page.read(path, body)));
            })
        .authzen();
  }

  /** {@code page} comes first (section 8.3). */
  private static Response found(Search.Found found) {
    return Response.json(
        JsonObject.builder()
            .put(
                "page",
                JsonObject.builder()
                    .put("next_token", found.nextToken())
                    .put("count", found.results().size()))
            .put("results", new JsonArray(found.results())));
  }

  private AuthzenCaller asker(Request request) {
    Rights rights = Rights.of(request.caller());
    Optional<String> named = request.query("org_id");
    OrgId org =
        named.isPresent() ? organization.named(rights, named.get()) : organization.of(rights);
    return new AuthzenCaller(
        request.caller(),
        org,
        request.query("mcp_server"),
        request.requestId(),
        request.clientAddress(),
        request.timing(),
        new Budget());
  }

  /** The effect of one answer on the following evaluations (section 7.1.2.1). */
  private enum Semantic {
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
  private List<Answer> all(
      AuthzenCaller asker, JsonObject defaults, List<JsonValue> items, Semantic semantic) {
    if (semantic == Semantic.EXECUTE_ALL) {
      return VerifyAll.concurrently(
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
