package dev.safeconduct.passport.issue;

import dev.safeconduct.access.DeviceName;
import dev.safeconduct.access.SessionTokens;
import dev.safeconduct.access.SignInMethod;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.access.people.FormPage;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.access.people.SetPassword;
import dev.safeconduct.access.people.SignIn;
import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.Message;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.text.Excerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code /claim/{token}}: the target of a claim link. Opening the page changes nothing, because
 * mail scanners follow links. Submitting its form claims the passport.
 */
public final class ClaimPage {
  private static final String SUBJECT = "claim ";
  private static final int LONG_VALUE = 2000;

  /**
   * The model of {@code claim/open.jte}.
   *
   * @param asker the caller who had the passport issued
   * @param askedFrom that caller's address; empty if it is not known or the caller has an account
   * @param abilities the actions the agent may do, with their limits
   * @param revocable whether the human may revoke the passport instead
   * @param isNew whether the human has no account yet and can set a password
   * @param problem why the form must be submitted again; empty on the first view
   */
  public record Form(
      String name,
      String description,
      String agentId,
      String status,
      String asker,
      String issuedOn,
      String askedFrom,
      List<Ability> abilities,
      boolean revocable,
      String email,
      boolean isNew,
      String csrfToken,
      String problem) {
    public Form {
      abilities = List.copyOf(abilities);
    }
  }

  /** An action the agent may do, and its limits. */
  public record Ability(String sentence, List<Limit> limits) {
    public Ability {
      limits = List.copyOf(limits);
    }
  }

  /** A limit in words. */
  public record Limit(String name, String value) {}

  private final ClaimLinks links;
  private final TakeClaim takeClaim;
  private final RevokeUnclaimed revoke;
  private final Passports passports;
  private final Organizations organizations;
  private final Catalogue catalogue;
  private final SignIn signIn;
  private final FormPage page;
  private final String baseUrl;

  /** {@code baseUrl}: the address of the console; this page can have another one. */
  public ClaimPage(
      ClaimLinks links,
      TakeClaim takeClaim,
      RevokeUnclaimed revoke,
      Passports passports,
      Organizations organizations,
      SignIn signIn,
      FormPage page,
      String baseUrl) {
    this.links = links;
    this.takeClaim = takeClaim;
    this.revoke = revoke;
    this.passports = passports;
    this.organizations = organizations;
    this.catalogue = Catalogue.builtIn();
    this.signIn = signIn;
    this.page = page;
    this.baseUrl = baseUrl;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/claim/{token}", Permission.OPEN, this::show),
        Route.post("/claim/{token}", Permission.OPEN, this::take).form());
  }

  private Response show(Request request) {
    return links
        .open(request.pathParam("token"))
        .map(claim -> form(200, request, claim, ""))
        .orElseGet(this::gone);
  }

  private Response take(Request request) {
    Optional<Claim> open = links.open(request.pathParam("token"));
    if (open.isEmpty()) {
      return gone();
    }
    Claim claim = open.get();
    if (!page.sent(request, SUBJECT + claim.id())) {
      return form(
          403, request, claim, "The form did not come from this page, or is too old. Try again.");
    }
    if (request.formField("answer").equals(Optional.of("revoke"))) {
      return revoked(request, claim);
    }
    Optional<String> password =
        request.formField("password").filter(text -> !text.isEmpty() && signIn.passwords());
    boolean isNew = signIn.accounts().byEmail(claim.email()).isEmpty();
    if (isNew && password.isPresent() && !SetPassword.isFit(password.get())) {
      return form(
          400,
          request,
          claim,
          "A password has "
              + SetPassword.MIN_LENGTH
              + " to 200 characters. You can leave it empty.");
    }
    Origin origin = request.origin();
    return takeClaim
        .run(origin, claim, password)
        .map(taken -> taken(origin, taken, DeviceName.of(request.header("User-Agent").orElse(""))))
        .orElseGet(this::gone);
  }

  /** An organization that issued the passport decides on it itself. */
  private Response revoked(Request request, Claim claim) {
    if (!claim.personal()) {
      return form(400, request, claim, "Only the organization can revoke this passport.");
    }
    if (!request.formField("sure").map(String::strip).equals(Optional.of("revoke"))) {
      return form(400, request, claim, "Type revoke to confirm; this cannot be undone.");
    }
    return revoke.run(request.origin(), claim, "The named owner says that it is not theirs.")
        ? page.message(
            200,
            "The passport is revoked",
            "Every request of this agent is denied, permanently. Your email address is deleted from"
                + " the claim.")
        : gone();
  }

  /**
   * Responds to a claim. A new account starts with a session; an existing account signs in as
   * always, and so does everybody where sign-in by password is disabled.
   */
  private Response taken(Origin origin, TakeClaim.Claimed taken, String device) {
    OrgId org = taken.passport().owner();
    boolean manages =
        signIn.accounts().memberships(taken.account().id()).stream()
            .anyMatch(member ->
                member.org().equals(org) && member.role().scopes().contains(Scope.STATUS));
    var links = new ArrayList<Message.Link>();
    if (manages) {
      links.add(
          new Message.Link(
              baseUrl + "/console/passports/" + taken.passport().agentId(), "Open the passport"));
    }
    links.add(new Message.Link(baseUrl + "/console", "Open the console"));
    links.add(new Message.Link(baseUrl + "/console/sign-in", "Sign in"));
    Response answer =
        page.message(
            200,
            "You own this agent",
            "\""
                + taken.passport().name()
                + (manages
                    ? "\" is yours: you can limit, suspend or revoke it in the console. "
                    : "\" is yours. Its organization alone can limit, suspend or revoke it. ")
                + (taken.account().password().isPresent() || !signIn.passwords()
                    ? ""
                    : "To sign in later, ask for a link to set a password on the sign-in page."),
            links.toArray(Message.Link[]::new));
    if (!taken.isNew()
        || !signIn.passwords()
        || signIn.second().pending().isRequired(taken.account())) {
      return answer;
    }
    StartSession.Started started =
        signIn
            .sessions()
            .run(origin, taken.account().id(), taken.org(), SignInMethod.of("claim", device));
    return Cookies.signedIn(
        answer,
        started.token(),
        SessionTokens.LIFE,
        started.refresh(),
        started.refreshLife(),
        page.secure());
  }

  private Response form(int status, Request request, Claim claim, String problem) {
    Optional<Passport> passport = passports.find(claim.agent());
    if (passport.isEmpty()) {
      return gone();
    }
    JsonObject document = passport.get().document();
    return page.form(
        status,
        request,
        SUBJECT + claim.id(),
        "claim/open.jte",
        token ->
            new Form(
                passport.get().name(),
                document.text("description"),
                claim.agent().value(),
                passport.get().status().wire(),
                asker(claim),
                IsoInstant.seconds(claim.createdAt()),
                claim.askedFrom().orElse(""),
                abilities(document),
                claim.personal(),
                claim.email().value(),
                signIn.passwords() && signIn.accounts().byEmail(claim.email()).isEmpty(),
                token,
                problem));
  }

  private String asker(Claim claim) {
    return claim.personal()
        ? "Somebody without an account"
        : organizations
            .find(claim.org())
            .map(Organization::name)
            .map(name -> "The organization \"" + name + "\"")
            .orElse("An organization");
  }

  private List<Ability> abilities(JsonObject document) {
    JsonObject limits = document.child("limits");
    var abilities = new ArrayList<Ability>();
    for (JsonValue each : document.list("capabilities")) {
      if (each instanceof JsonObject capability) {
        capability
            .string("id")
            .ifPresent(id -> abilities.add(new Ability(catalogue.title(id), limits(limits, id))));
      }
    }
    return abilities;
  }

  private List<Limit> limits(JsonObject limits, String capability) {
    JsonObject own = limits.child(catalogue.containerOf(capability));
    return own.names().stream()
        .map(name -> new Limit(name.replace('_', ' '), value(own.get(name))))
        .toList();
  }

  private static String value(@Nullable JsonValue value) {
    String text =
        switch (value) {
          case null -> "";
          case JsonString string -> string.value();
          case JsonArray list when list.isEmpty() -> "none";
          case JsonArray list ->
              list.elements().stream().map(ClaimPage::value).collect(Collectors.joining(", "));
          case JsonBoolean flag -> flag.value() ? "yes" : "no";
          default -> Json.text(value);
        };
    return Excerpt.clip(text, LONG_VALUE);
  }

  private Response gone() {
    return page.message(
        410,
        "This link does not work any more",
        "It has been used, has expired, or a newer one was sent. The agent's author can request"
            + " another one for you.");
  }
}
