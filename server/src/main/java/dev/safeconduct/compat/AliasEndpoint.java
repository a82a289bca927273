package dev.safeconduct.compat;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.BatchContext;
import dev.safeconduct.http.Endpoint;
import dev.safeconduct.http.FetchSite;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.http.ServerTiming;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An older address of a route. It converts the request to the current form, calls the same
 * endpoint, and converts the response to the older form.
 */
record AliasEndpoint(Route target, Function<Request, Asked> ask, UnaryOperator<JsonObject> answer)
    implements Endpoint {
  /**
   * The request for the target endpoint.
   *
   * @param named the path parameters, and query parameters that override the sent ones
   * @param body the body for the target; empty for a request without a body
   * @param older the older names of the body's members, by current name
   */
  record Asked(Map<String, String> named, Optional<JsonObject> body, Map<String, String> older) {
    static Asked of(Map<String, String> named) {
      return new Asked(named, Optional.empty(), Map.of());
    }

    static Asked of(Map<String, String> named, JsonObject body) {
      return new Asked(named, Optional.of(body), Map.of());
    }

    Asked calling(Map<String, String> names) {
      return new Asked(named, body, names);
    }

    /** Returns the fault with the member's sent name, the only name that the caller knows. */
    private ProblemException inTheirWords(ProblemException fault) {
      if (!(fault.problem() instanceof Problem.InvalidRequest(String message, Optional<String> at))
          || at.isEmpty()) {
        return fault;
      }
      String name = at.get().split("[.\\[]", 2)[0];
      String theirs = older.get(name);
      if (theirs == null) {
        return fault;
      }
      Pattern ours = Pattern.compile("(?<![\\w.])" + Pattern.quote(name) + "(?!\\w)");
      return ProblemException.invalid(
          theirs + at.get().substring(name.length()),
          ours.matcher(message).replaceAll(Matcher.quoteReplacement(theirs)));
    }
  }

  /**
   * Returns the route of the older address, for GET or POST and with the target's permission.
   *
   * @param answer converts a successful response
   */
  static Route of(
      String path, Route target, Function<Request, Asked> ask, UnaryOperator<JsonObject> answer) {
    return new Route(
        target.method().equals("GET") ? "GET" : "POST",
        path,
        target.permission(),
        target.body(),
        target.verifies(),
        false,
        new AliasEndpoint(target, ask, answer),
        null);
  }

  @Override
  public Response handle(Request request) {
    Asked asked = ask.apply(request);
    Response response;
    try {
      response = target.endpoint().handle(new Rewritten(request, target.method(), asked));
    } catch (ProblemException e) {
      throw asked.inTheirWords(e);
    }
    if (response.status() >= 300 || response.body().length == 0) {
      return response;
    }
    try {
      return response.withJson(answer.apply(Json.parseObject(response.body())));
    } catch (JsonFault e) {
      throw new IllegalStateException("the target of an older address answers no JSON", e);
    }
  }

  /** The request in the form that the target expects. */
  private record Rewritten(Request sent, String method, Asked asked) implements Request {
    @Override
    public String path() {
      return sent.path();
    }

    @Override
    public String pathParam(String name) {
      String value = asked.named().get(name);
      return value == null ? sent.pathParam(name) : value;
    }

    @Override
    public Optional<String> query(String name) {
      String value = asked.named().get(name);
      return value == null ? sent.query(name) : Optional.of(value);
    }

    @Override
    public List<String> queryNames() {
      var names = new ArrayList<>(sent.queryNames());
      asked.named().keySet().stream().filter(name -> !names.contains(name)).forEach(names::add);
      return names;
    }

    @Override
    public Optional<String> header(String name) {
      return sent.header(name);
    }

    @Override
    public Caller caller() {
      return sent.caller();
    }

    @Override
    public String requestId() {
      return sent.requestId();
    }

    @Override
    public String clientAddress() {
      return sent.clientAddress();
    }

    @Override
    public boolean hasBody() {
      return asked.body().isPresent();
    }

    @Override
    public byte[] body() {
      return asked.body().map(Json::bytes).orElseGet(() -> new byte[0]);
    }

    @Override
    public JsonObject json() {
      return asked.body().orElseGet(sent::json);
    }

    @Override
    public Optional<String> formField(String name) {
      return sent.formField(name);
    }

    @Override
    public Optional<String> cookie(String name) {
      return sent.cookie(name);
    }

    @Override
    public FetchSite site() {
      return sent.site();
    }

    @Override
    public ServerTiming timing() {
      return sent.timing();
    }

    @Override
    public BatchContext several() {
      return sent.several();
    }
  }
}
