package dev.safeconduct.compat;

import dev.safeconduct.http.Endpoint;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.http.ServerTiming;
import dev.safeconduct.http.Several;
import dev.safeconduct.http.Site;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An older address of a route: the same endpoint, its request put into our words and its answer
 * into those the older address is known for.
 */
final class AliasEndpoint implements Endpoint {
  private final Route target;
  private final Function<Request, Asked> ask;
  private final UnaryOperator<JsonObject> answer;

  private AliasEndpoint(
      Route target, Function<Request, Asked> ask, UnaryOperator<JsonObject> answer) {
    this.target = target;
    this.ask = ask;
    this.answer = answer;
  }

  /**
   * What is asked of the target.
   *
   * @param named what the target finds in its path, and in its query over what was sent there
   * @param body what it finds as the body; empty for none
   * @param older what the older address calls members of that body, by our names
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

    /** The fault of a member by the name that was sent: the caller knows no other. */
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
      return Problem.invalid(
              theirs + at.get().substring(name.length()),
              ours.matcher(message).replaceAll(Matcher.quoteReplacement(theirs)))
          .toException();
    }
  }

  /**
   * The route of the older address.
   *
   * @param answer puts a successful answer into other words
   */
  static Route of(
      String method,
      String path,
      Permission permission,
      Route target,
      Function<Request, Asked> ask,
      UnaryOperator<JsonObject> answer) {
    return new Route(
        method,
        path,
        permission,
        target.body(),
        target.verifies(),
        new AliasEndpoint(target, ask, answer));
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

  /** The request as the target would have got it. */
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
    public Site site() {
      return sent.site();
    }

    @Override
    public ServerTiming timing() {
      return sent.timing();
    }

    @Override
    public Several several() {
      return sent.several();
    }
  }
}
