package dev.safeconduct.verify;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.json.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * {@code POST /api/verify/batch}: several evaluations in one request, each answered as by {@link
 * VerifyEndpoint}.
 */
public final class BatchEndpoint {
  /** The member that holds it. */
  static final String NAME = "evaluations";

  private static final int MOST = 100;

  private static final String KEY_HEADER = "Idempotency-Key";

  private final VerifyAll verifyAll;
  private final VerifyEndpoint.DecisionProofs proofs;
  private final String baseUrl;

  /**
   * @param baseUrl the service's own address
   */
  public BatchEndpoint(VerifyAll verifyAll, VerifyEndpoint.DecisionProofs proofs, String baseUrl) {
    this.verifyAll = verifyAll;
    this.proofs = proofs;
    this.baseUrl = baseUrl;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/api/verify/batch", Permission.scope(Scope.READ), this::verify)
            .large()
            .verify());
  }

  private Response verify(Request request) {
    if (request.header(KEY_HEADER).isPresent()) {
      // If the key were ignored, a retry that the caller considers safe would be charged again.
      throw ProblemException.invalid(
          KEY_HEADER,
          "A batch takes no Idempotency-Key; give each evaluation its own idempotency_key.");
    }
    boolean proved = VerifyEndpoint.flag(request, "proof");
    List<VerifyRequest> questions = questions(request);
    request.several().count(questions.size());
    List<VerifyAll.Result> results = verifyAll.run(questions, request.timing());
    var answers = new ArrayList<byte[]>();
    for (int i = 0; i < results.size(); i++) {
      answers.add(answer(request, questions.get(i), results.get(i), proved));
    }
    JsonWriter body = JsonWriter.inOrder().open().member("decisions").array(answers);
    Response response = Response.bytes(200, "application/json", body.close().bytes());
    return results.stream().anyMatch(BatchEndpoint::isReplayed)
        ? response.header("Idempotent-Replayed", replayed(results))
        : response;
  }

  /** Parses all items, or throws the first fault. No item is evaluated before all are valid. */
  private static List<VerifyRequest> questions(Request request) {
    JsonObject body = request.json();
    JsonArray list =
        evaluations(body)
            .filter(evaluations -> !evaluations.isEmpty())
            .orElseThrow(
                () -> ProblemException.invalid(NAME, "evaluations must have 1 to 100 elements."));
    RequestOptions options = VerifyEndpoint.options(request);
    var questions = new ArrayList<VerifyRequest>();
    for (int i = 0; i < list.size(); i++) {
      String path = NAME + "[" + i + "]";
      Members element = Members.at(path, list.get(i));
      String policyId =
          element
              .text("policy_id")
              .filter(id -> !id.isEmpty())
              .orElseThrow(() -> element.missing("policy_id"));
      // Without the member, the item equals the body of a single request, also for replays.
      Members question = Members.at(path, element.object().without("policy_id"));
      questions.add(options.question(policyId, question));
    }
    return questions;
  }

  private byte[] answer(
      Request request, VerifyRequest question, VerifyAll.Result result, boolean proved) {
    return switch (result) {
      case VerifyAll.Result.Decided(VerifyResult decided) ->
          decided(request, question, decided, proved);
      case VerifyAll.Result.Refused(Problem problem) -> closed(request.several().error(problem));
      case VerifyAll.Result.Failed(Throwable fault) -> closed(request.several().error(fault));
    };
  }

  private byte[] decided(
      Request request, VerifyRequest question, VerifyResult result, boolean proved) {
    // The short form has no member for a reservation's id, and a batch has no header per item.
    if (VerifyEndpoint.prefersMinimal(request) && !question.reserve()) {
      return VerifyAnswer.minimal(result.signed()).bytes();
    }
    try {
      String proof = proved ? proofs.of(result.decision().id()) : null;
      return VerifyAnswer.full(result, question, proof, baseUrl).bytes();
    } catch (ProblemException e) {
      return closed(request.several().error(e.problem()));
    } catch (RuntimeException e) {
      return closed(request.several().error(e));
    }
  }

  /** Returns an error with {@code allow} false, for callers who read only that member. */
  private static byte[] closed(JsonObject error) {
    return Json.bytes(JsonObject.builder().put("allow", false).put("error", error).build());
  }

  private static String replayed(List<VerifyAll.Result> results) {
    return results.stream()
        .map(result -> Boolean.toString(isReplayed(result)))
        .collect(Collectors.joining(", "));
  }

  private static boolean isReplayed(VerifyAll.Result result) {
    return result instanceof VerifyAll.Result.Decided(VerifyResult decided) && decided.replayed();
  }

  /**
   * Returns the list, if there is one.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for a member that is not a list or too long
   */
  public static Optional<JsonArray> evaluations(JsonObject body) {
    return Members.of(body).array(NAME, MOST);
  }
}
