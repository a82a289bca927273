package dev.safeconduct.issuance;

import dev.safeconduct.access.SessionTokens;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.http.Site;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.page.HtmlPage;
import dev.safeconduct.page.Message;
import dev.safeconduct.page.Templates;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.people.Accounts;
import dev.safeconduct.people.FormToken;
import dev.safeconduct.people.Organization;
import dev.safeconduct.people.Organizations;
import dev.safeconduct.people.SetPassword;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code /claim/{token}}: where a claim's link leads. Looking at it changes nothing, for mail
 * scanners look at every link; the form on it claims.
 */
public final class ClaimPage {
  private static final String SUBJECT = "claim ";

  private final ClaimLinks links;
  private final TakeClaim takeClaim;
  private final Passports passports;
  private final Accounts accounts;
  private final Organizations organizations;
  private final Catalogue catalogue;
  private final StartSession startSession;
  private final FormToken forms;
  private final Templates templates;
  private final boolean secure;

  public ClaimPage(
      ClaimLinks links,
      TakeClaim takeClaim,
      Passports passports,
      Accounts accounts,
      Organizations organizations,
      Catalogue catalogue,
      StartSession startSession,
      FormToken forms,
      Templates templates,
      boolean secure) {
    this.links = links;
    this.takeClaim = takeClaim;
    this.passports = passports;
    this.accounts = accounts;
    this.organizations = organizations;
    this.catalogue = catalogue;
    this.startSession = startSession;
    this.forms = forms;
    this.templates = templates;
    this.secure = secure;
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
    String cookie = request.cookie(FormToken.COOKIE).orElse("");
    boolean ours =
        request
            .formField(Cookies.CSRF_FIELD)
            .filter(token -> forms.matches(token, cookie, SUBJECT + claim.id()))
            .isPresent();
    if (!ours || request.site() == Site.OTHER) {
      return form(
          403, request, claim, "The form did not come from this page, or is too old. Try again.");
    }
    Optional<String> password = request.formField("password").filter(text -> !text.isEmpty());
    boolean isNew = accounts.byEmail(claim.email()).isEmpty();
    if (isNew && password.isPresent() && !SetPassword.isFit(password.get())) {
      return form(
          400,
          request,
          claim,
          "A password has " + SetPassword.MIN_LENGTH + " to 200 characters. Or leave it empty.");
    }
    var origin = new Origin(request.caller(), request.clientAddress(), request.requestId());
    return takeClaim
        .run(origin, claim, password)
        .map(taken -> taken(origin, taken))
        .orElseGet(this::gone);
  }

  /** A new account begins with a session; an old one is opened by its password only. */
  private Response taken(Origin origin, TakeClaim.Taken taken) {
    Response page =
        message(
            200,
            "It is yours",
            "\""
                + taken.passport().name()
                + "\" now answers to you. "
                + (taken.account().password().isPresent()
                    ? "Sign in to limit, suspend or revoke it."
                    : "To sign in later, have a link to set a password sent to your address."));
    if (!taken.isNew()) {
      return page;
    }
    StartSession.Started started =
        startSession.run(origin, taken.account().id(), taken.org(), "claim");
    return Cookies.signedIn(
        page,
        started.token(),
        SessionTokens.LIFE,
        started.refresh(),
        started.refreshLife(),
        secure);
  }

  private Response form(int status, Request request, Claim claim, String problem) {
    Optional<Passport> passport = passports.find(claim.agent());
    if (passport.isEmpty()) {
      return gone();
    }
    Optional<String> known = request.cookie(FormToken.COOKIE).filter(forms::isCookie);
    String cookie = known.orElseGet(forms::newCookie);
    JsonObject document = passport.get().document();
    var model =
        new ClaimForm(
            passport.get().name(),
            document.string("description").orElse(""),
            claim.agent().value(),
            passport.get().status().wire(),
            asker(claim),
            IsoInstant.seconds(claim.createdAt()),
            abilities(document),
            claim.email().value(),
            accounts.byEmail(claim.email()).isEmpty(),
            forms.make(cookie, SUBJECT + claim.id()),
            problem);
    return HtmlPage.of(status, templates.render("claim/open.jte", model))
        .header(
            "Set-Cookie",
            Cookies.set(FormToken.COOKIE, cookie, Duration.ofHours(12), secure, "Strict"));
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

  private List<String> abilities(JsonObject document) {
    var abilities = new ArrayList<String>();
    for (JsonValue each : document.array("capabilities").orElse(JsonArray.EMPTY)) {
      if (each instanceof JsonObject capability) {
        capability.string("id").map(catalogue::title).ifPresent(abilities::add);
      }
    }
    return abilities;
  }

  private Response gone() {
    return message(
        410,
        "This link does not work any more",
        "It was used, it is too old, or a newer one was sent. The agent's author can have another"
            + " one sent to you.");
  }

  private Response message(int status, String title, String text) {
    return HtmlPage.of(status, templates.render("page/message.jte", new Message(title, text)));
  }
}
