package dev.safeconduct.console;

import dev.safeconduct.console.view.ErrorText;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.SecretView;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.HtmlPage;
import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.passport.ObserveMode;
import dev.safeconduct.passport.ObserveModes;
import dev.safeconduct.text.Templates;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** A page that a signed-in person has opened: the request, and the person's permissions. */
public final class OpenPage {
  /** The dependencies that all pages share. */
  record Shared(
      InnerCalls api,
      Templates templates,
      Layout.Assets assets,
      String baseUrl,
      Halts halts,
      ObserveModes observed,
      Actors actors) {}

  private final Shared shared;
  private final Request request;
  private final Caller caller;
  private final JsonObject me;
  private final Instant now;
  private final Map<String, Actors.Actor> actors = new HashMap<>();
  private final Map<String, String> agents = new HashMap<>();
  private Optional<Problem> wrong = Optional.empty();

  OpenPage(Shared shared, Request request, Caller caller, Instant now) {
    this.shared = shared;
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

  public Instant now() {
    return now;
  }

  /** Returns the time in a text as the page shows it. */
  Formats.When when(String at) {
    return Formats.when(at, now);
  }

  public String baseUrl() {
    return shared.baseUrl();
  }

  /** Returns the person's current organization. */
  public String org() {
    return me.text("org_id");
  }

  /** Returns who a caller's name in the log stands for. */
  Actors.Actor actor(String caller) {
    return actors.computeIfAbsent(caller, each -> shared.actors().of(this, each));
  }

  /** Returns the agent's name; its short id if the person may not read its passport. */
  String agentName(String agentId) {
    return agents.computeIfAbsent(
        agentId,
        id ->
            find("/api/passports/" + Formats.url(id))
                .map(passport -> Formats.clip(passport.text("name"), 60))
                .orElseGet(() -> Formats.id(id)));
  }

  /** Returns the name of the person's current organization. */
  String orgName() {
    return person().org();
  }

  String accountId() {
    return me.text("account_id");
  }

  /**
   * Returns whether the person is an operator. Most calls still act as a person of one
   * organization.
   */
  boolean isOperator() {
    return caller instanceof Caller.Admin;
  }

  String csrf() {
    return me.text("csrf_token");
  }

  public Optional<String> query(String name) {
    return request.query(name).map(String::strip).filter(text -> !text.isEmpty());
  }

  Optional<String> field(String name) {
    return request.formField(name).map(String::strip).filter(text -> !text.isEmpty());
  }

  /** Returns what the form's field has; empty if it is absent. */
  String entered(String name) {
    return field(name).orElse("");
  }

  /** Returns a part of the path by the name that the route gives it. */
  String param(String name) {
    return request.pathParam(name);
  }

  /** Returns whether the form had the field, even if it was empty. */
  boolean sent(String name) {
    return request.formField(name).isPresent();
  }

  /** Refuses the form unless the person has typed exactly that text. */
  void confirm(String text) {
    if (field("confirm").filter(text::equals).isEmpty()) {
      throw ProblemException.invalid("confirm", "To confirm, type exactly: " + text);
    }
  }

  /** Refuses the form unless the person has typed that they mean to revoke. */
  void confirmRevocation() {
    if (!entered("sure").equals("revoke")) {
      throw ProblemException.invalid("sure", "Type revoke to confirm; this cannot be undone.");
    }
  }

  /** Returns whether an API key with the right scope may call the route. */
  boolean keyMay(String method, String target) {
    return shared.api().admitsKeys(method, target.split("\\?", 2)[0]);
  }

  /** Returns whether the person may call the route. Pages hide what the person may not do. */
  public boolean may(String method, String path) {
    return shared.api().admits(caller, method, path);
  }

  /** Refuses the page if the person may not call the route. */
  void demand(String method, String path) {
    if (!may(method, path)) {
      throw ProblemException.forbidden("Your role may not do this; ask an owner.");
    }
  }

  /** Returns the API's response to a GET request. */
  public JsonObject get(String target) {
    return (JsonObject) call("GET", target, JsonObject.EMPTY);
  }

  /** Returns the list under the name in a response; empty if the person may not read it. */
  public List<JsonObject> list(String target, String name) {
    int question = target.indexOf('?');
    return may("GET", question < 0 ? target : target.substring(0, question))
        ? get(target).objects(name)
        : List.of();
  }

  /** Returns what follows a count of rows if the answer is one page of a longer list. */
  String ofPage(JsonObject answer) {
    return query("cursor").isPresent() || answer.string("next_cursor").isPresent()
        ? " on this page"
        : "";
  }

  /** Returns the address of the list's next page; empty if there is none. */
  static String next(String list, JsonObject answer) {
    return answer
        .string("next_cursor")
        .map(c -> list + (list.contains("?") ? "&" : "?") + "cursor=" + Formats.url(c))
        .orElse("");
  }

  /** Returns the parameter for the API that stands for this page of a list. */
  String cursor() {
    return query("cursor").map(c -> "&cursor=" + Formats.url(c)).orElse("");
  }

  /** Returns a response that is a JSON array. */
  List<JsonObject> bare(String target) {
    return ((JsonArray) call("GET", target, JsonObject.EMPTY)).objects();
  }

  /** Returns a response that is text. */
  String text(String target) {
    return Formats.plain(call("GET", target, JsonObject.EMPTY));
  }

  /** Returns the API's response to a GET request; empty if it is not found or not permitted. */
  public Optional<JsonObject> find(String target) {
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
    return (JsonObject) shared.api().call(request, caller, method, target, body, headers, false);
  }

  /** Makes a setup key for the agent, and returns it. */
  String setupKey(String agentId) {
    return send("POST", "/api/passports/" + Formats.url(agentId) + "/setup-key", JsonObject.EMPTY)
        .text("key");
  }

  /** Returns the response to the operator, who acts for no organization. */
  JsonObject asOperator(String method, String target) {
    return asOperator(method, target, JsonObject.EMPTY);
  }

  JsonObject asOperator(String method, String target, JsonObject body) {
    return (JsonObject) shared.api().call(request, caller, method, target, body, Map.of(), true);
  }

  private JsonValue call(String method, String target, JsonObject body) {
    return shared.api().call(request, caller, method, target, body, Map.of(), false);
  }

  /** Renders the template with the model that is made from the layout. */
  Response show(String template, String title, Function<Layout, Object> model) {
    return wrong
        .map(problem -> again(template, title, problem, model))
        .orElseGet(() -> show(200, template, title, Optional.empty(), model));
  }

  /** Renders the page again with the problem of the form that was sent to it. */
  Response again(String template, String title, Problem problem, Function<Layout, Object> model) {
    return show(
        ErrorText.status(problem),
        template,
        title,
        Optional.of(new Layout.Notice(false, ErrorText.text(problem))),
        model);
  }

  /** Renders the page again with the problem of the request that was sent to it. */
  Response failed(Problem problem, Supplier<Response> again) {
    wrong = Optional.of(problem);
    return again.get();
  }

  /** Returns whether the page is shown again because of a problem. */
  public boolean isWrong() {
    return wrong.isPresent();
  }

  private Response show(
      int status,
      String template,
      String title,
      Optional<Layout.Notice> wrong,
      Function<Layout, Object> model) {
    Optional<Layout.Notice> notice =
        wrong.or(
            () -> query("done").flatMap(FlashMessage::text).map(t -> new Layout.Notice(true, t)));
    Layout shell =
        new Layout(
            title,
            Sections.of(this),
            csrf(),
            person(),
            notice,
            new Layout.State(halted(), observed()),
            shared.assets());
    return HtmlPage.console(status, shared.templates().render(template, model.apply(shell)));
  }

  /** Returns the sentence that every page shows while the agents are halted. */
  private Optional<String> halted() {
    return org().isEmpty()
        ? Optional.empty()
        : shared
            .halts()
            .stopping(new OrgId(org()))
            .map(halt ->
                (halt.ofAll() ? "Every organization is halted" : "This organization is halted")
                    + ": every request of its agents is denied. Reason: "
                    + halt.reason());
  }

  /** Returns the sentence that every page shows while agents are observed. */
  private Optional<String> observed() {
    if (org().isEmpty()) {
      return Optional.empty();
    }
    List<ObserveMode> modes = shared.observed().applying(new OrgId(org()), now());
    Optional<ObserveMode> all = modes.stream().filter(mode -> mode.agent().isEmpty()).findFirst();
    return all.map(mode ->
            "Every agent of this organization is in observe mode until "
                + IsoInstant.seconds(mode.until())
                + ": what only limits deny is allowed and recorded. Reason: "
                + mode.reason())
        .or(() ->
            modes.isEmpty()
                ? Optional.empty()
                : Optional.of(
                    Formats.count(modes.size(), "agent is", "agents are")
                        + " in observe mode: what only limits deny is allowed and recorded."));
  }

  /**
   * Shows a secret once.
   *
   * @param command how to use it; empty for no command
   * @param back the path of the next page
   */
  Response secret(String title, String text, String secret, String command, String back) {
    return show(
        "console/secret.jte",
        title,
        shell -> new SecretView(shell, title, text, secret, command, back));
  }

  /** Renders a part of a page, which a script swaps in. */
  Response part(String template, Object model) {
    return HtmlPage.console(200, shared.templates().render(template, model));
  }

  /** Redirects after a form, with a message about its result. */
  static Response done(String path, FlashMessage done) {
    return Response.seeOther(path + (path.contains("?") ? "&" : "?") + "done=" + done.code());
  }

  private Layout.Person person() {
    List<Layout.Place> places =
        me.objects("organizations").stream()
            .map(place ->
                new Layout.Place(
                    place.text("org_id"),
                    place.string("name").or(() -> place.string("org_id")).orElse(""),
                    place.text("org_id").equals(org())))
            .toList();
    return new Layout.Person(
        me.text("email"),
        isOperator() ? "operator" : me.text("role"),
        places.stream()
            .filter(Layout.Place::current)
            .map(Layout.Place::name)
            .findFirst()
            .orElse(org()),
        places);
  }

  public String path() {
    return request.path();
  }
}
