package dev.safeconduct.passport;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/** Public passport views that require no credential. */
public final class PublicViewEndpoints {
  private final Passports passports;
  private final String baseUrl;
  private final InstantSource clock;
  private final PublicView view;

  public PublicViewEndpoints(
      Passports passports, DocumentSigner signer, String baseUrl, InstantSource clock) {
    this.passports = passports;
    this.baseUrl = baseUrl;
    this.clock = clock;
    this.view = new PublicView(signer, clock);
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/.well-known/oap/agents/", Permission.OPEN, this::list),
        Route.get("/api/verify/{agent_id}", new Permission.Open(), this::publicView),
        Route.get(
            "/api/passports/{agent_id}/verify_view",
            new Permission.OptionalCredential(),
            this::verifyView));
  }

  /**
   * Lists active passports with {@code "metadata": {"show_in_gallery": true}}. Unclaimed passports
   * are not listed, because the issuer's choice does not bind the owner.
   */
  private Response list(Request request) {
    ListPage page = ListPage.of(request);
    List<Passport> found = passports.listed(page.after().map(AgentId::new), page.fetch());
    return page.answer("agents", found, passport -> passport.agentId().value(), this::shown)
        .header("Cache-Control", "public, max-age=60");
  }

  private JsonObject shown(Passport passport) {
    return PublicView.facts(passport, clock.instant())
        .with("passport_url", baseUrl + "/api/verify/" + passport.agentId().value());
  }

  private Response publicView(Request request) {
    boolean oap = wantsOap(request);
    Passport passport = passport(request);
    return oap ? oap(request, passport) : plain(request, passport);
  }

  private Response verifyView(Request request) {
    boolean oap = wantsOap(request);
    Passport passport = passport(request);
    Response answer;
    if (oap) {
      answer = oap(request, passport);
    } else if (mayRead(request.caller(), passport)) {
      answer = answer(request, view.tag("o", passport), () -> view.forOwner(passport));
    } else {
      answer = plain(request, passport);
    }
    return answer.header("Vary", "Authorization, X-API-Key");
  }

  private Response plain(Request request, Passport passport) {
    return answer(request, view.tag("p", passport), () -> view.of(passport));
  }

  /** Returns the OAP document, which is the same for all callers, including owners. */
  private Response oap(Request request, Passport passport) {
    return answer(request, view.tag("d", passport), () -> view.oap(passport));
  }

  private static boolean wantsOap(Request request) {
    return switch (request.query("format").orElse("json")) {
      case "json" -> false;
      case "oap" -> true;
      default -> throw ProblemException.invalid("format", "format must be json or oap.");
    };
  }

  private Passport passport(Request request) {
    AgentId id = FindPassport.named(request.pathParam("agent_id"));
    return passports.find(id).orElseThrow(() -> NotFoundProblems.passport(id));
  }

  private static boolean mayRead(Caller caller, Passport passport) {
    if (caller instanceof Caller.Anonymous) {
      return false;
    }
    Rights rights = Rights.of(caller);
    return rights.scopes().contains(Scope.READ)
        && rights.sees(passport.owner())
        && rights.reaches(passport.agentId());
  }

  private static Response answer(Request request, EntityTag tag, Supplier<JsonObject> body) {
    boolean known = request.header("If-None-Match").filter(tag::satisfiesIfNoneMatch).isPresent();
    return (known ? Response.empty(304) : Response.json(200, body.get()))
        .header("ETag", tag.header())
        .header("Cache-Control", "no-cache");
  }
}
