package dev.safeconduct.console;

import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.page.HtmlPage;
import dev.safeconduct.page.Templates;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** A page that a signed-in person has opened: what they asked for, and what they may. */
final class OpenPage {
  /** What all pages share. */
  record Surroundings(InnerCalls api, Templates templates, Shell.Assets assets, String baseUrl) {}

  private final Surroundings around;
  private final Request request;
  private final Caller caller;
  private final JsonObject me;
  private final Instant now;
  private Optional<Problem> wrong = Optional.empty();

  OpenPage(Surroundings around, Request request, Caller caller, Instant now) {
    this.around = around;
    this.request = request;
    this.caller = caller;
    this.now = now;
    this.me = (JsonObject) call("GET", "/api/auth/me", JsonObject.EMPTY);
  }

  Request request() {
    return request;
  }

  Caller caller() {
    return caller;
  }

  Instant now() {
    return now;
  }

  String baseUrl() {
    return around.baseUrl();
  }

  /** The organization the person acts in. */
  String org() {
    return me.string("org_id").orElse("");
  }

  String accountId() {
    return me.string("account_id").orElse("");
  }

  /** Whether an operator is here, although most calls are made as a person of one organization. */
  boolean isOperator() {
    return caller instanceof Caller.Admin;
  }

  String csrf() {
    return me.string("csrf_token").orElse("");
  }

  Optional<String> query(String name) {
    return request.query(name).map(String::strip).filter(text -> !text.isEmpty());
  }

  Optional<String> field(String name) {
    return request.formField(name).map(String::strip).filter(text -> !text.isEmpty());
  }

  /** Whether the person may call the route; what they may not is not shown. */
  boolean may(String method, String path) {
    return around.api().admits(caller, method, path);
  }

  /** Refuses a page that leads to nothing the person may do. */
  void demand(String method, String path) {
    if (!may(method, path)) {
      throw new Problem.Forbidden("Your role may not do this; ask an owner.").toException();
    }
  }

  /** What the contract answers there. */
  JsonObject get(String target) {
    return (JsonObject) call("GET", target, JsonObject.EMPTY);
  }

  /** The list that stands under the name in an answer; empty for those who may not see it. */
  List<JsonObject> list(String target, String name) {
    int question = target.indexOf('?');
    return may("GET", question < 0 ? target : target.substring(0, question))
        ? Read.objects(get(target), name)
        : List.of();
  }

  /** An answer that is a bare list. */
  List<JsonObject> bare(String target) {
    return Read.objects((JsonArray) call("GET", target, JsonObject.EMPTY));
  }

  /** An answer that is text. */
  String text(String target) {
    return Read.plain(call("GET", target, JsonObject.EMPTY));
  }

  /** What the contract answers there; empty where there is nothing, or nothing for them. */
  Optional<JsonObject> find(String target) {
    try {
      return Optional.of(get(target));
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.NotFound || e.problem() instanceof Problem.Forbidden) {
        return Optional.empty();
      }
      throw e;
    }
  }

  JsonObject send(String method, String target, JsonObject body) {
    return (JsonObject) call(method, target, body);
  }

  JsonObject send(String method, String target, JsonObject body, Map<String, String> headers) {
    return (JsonObject) around.api().call(request, caller, method, target, body, headers);
  }

  private JsonValue call(String method, String target, JsonObject body) {
    return around.api().call(request, caller, method, target, body, Map.of());
  }

  /** The page, made by its template of the model that the shell is given to. */
  Response show(String template, String title, Function<Shell, Object> model) {
    return wrong
        .map(problem -> again(template, title, problem, model))
        .orElseGet(() -> show(200, template, title, Optional.empty(), model));
  }

  /** The page with what is wrong with the form it was sent. */
  Response again(String template, String title, Problem problem, Function<Shell, Object> model) {
    return show(
        Wrong.status(problem),
        template,
        title,
        Optional.of(new Shell.Notice(false, Wrong.text(problem))),
        model);
  }

  /** The page shown anew with what is wrong with what was sent to it. */
  Response failed(Problem problem, Supplier<Response> again) {
    wrong = Optional.of(problem);
    return again.get();
  }

  /** Whether the page is shown anew because of what is wrong with what was sent to it. */
  boolean isWrong() {
    return wrong.isPresent();
  }

  private Response show(
      int status,
      String template,
      String title,
      Optional<Shell.Notice> wrong,
      Function<Shell, Object> model) {
    Optional<Shell.Notice> notice =
        wrong.or(() -> query("done").flatMap(Done::text).map(t -> new Shell.Notice(true, t)));
    Shell shell =
        new Shell(
            title, Sections.of(this), csrf(), person(), notice, request.path(), around.assets());
    return HtmlPage.console(status, around.templates().render(template, model.apply(shell)));
  }

  /** A part of a page, for a script that swaps it in. */
  Response part(String template, Object model) {
    return HtmlPage.console(200, around.templates().render(template, model));
  }

  /** Sends the reader on after a form, with what it did. */
  static Response done(String path, Done done) {
    return Response.empty(303)
        .header("Location", path + (path.contains("?") ? "&" : "?") + "done=" + done.code());
  }

  private Shell.Person person() {
    List<Shell.Place> places =
        Read.objects(me, "organizations").stream()
            .map(place ->
                new Shell.Place(
                    place.string("org_id").orElse(""),
                    place.string("name").or(() -> place.string("org_id")).orElse(""),
                    place.string("org_id").orElse("").equals(org())))
            .toList();
    return new Shell.Person(
        me.string("email").orElse(""),
        isOperator() ? "operator" : me.string("role").orElse(""),
        org(),
        places.stream()
            .filter(Shell.Place::current)
            .map(Shell.Place::name)
            .findFirst()
            .orElse(org()),
        places);
  }

  String path() {
    return request.path();
  }
}
