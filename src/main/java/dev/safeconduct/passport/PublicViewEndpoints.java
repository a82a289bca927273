package dev.safeconduct.passport;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.Unknown;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.function.Supplier;

/** The views of a passport that need no credential. */
public final class PublicViewEndpoints {
  private final Passports passports;
  private final PublicView view;

  public PublicViewEndpoints(Passports passports, DocumentSigner signer) {
    this.passports = passports;
    this.view = new PublicView(signer);
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/verify/{agent_id}", new Permission.Open(), this::publicView),
        Route.get(
            "/api/passports/{agent_id}/verify_view",
            new Permission.OptionalCredential(),
            this::verifyView));
  }

  private Response publicView(Request request) {
    Passport passport = passport(request);
    return answer(request, view.tag("p", passport), () -> view.of(passport));
  }

  private Response verifyView(Request request) {
    Passport passport = passport(request);
    boolean owners = mayRead(request.caller(), passport);
    Response answer =
        owners
            ? answer(request, view.tag("o", passport), () -> view.forOwner(passport))
            : answer(request, view.tag("p", passport), () -> view.of(passport));
    return answer.header("Vary", "Authorization, X-API-Key");
  }

  private Passport passport(Request request) {
    AgentId id = FindPassport.named(request.pathParam("agent_id"));
    return passports.find(id).orElseThrow(() -> Unknown.passport(id));
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
