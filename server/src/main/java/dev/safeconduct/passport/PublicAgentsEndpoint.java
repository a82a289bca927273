package dev.safeconduct.passport;

import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.time.InstantSource;
import java.util.List;

/**
 * {@code GET /.well-known/oap/agents/}: lists active passports with {@code "metadata":
 * {"show_in_gallery": true}}. Unclaimed passports are not listed, because the issuer's choice does
 * not bind the owner.
 */
public final class PublicAgentsEndpoint {
  private final Passports passports;
  private final String baseUrl;
  private final InstantSource clock;

  public PublicAgentsEndpoint(Passports passports, String baseUrl, InstantSource clock) {
    this.passports = passports;
    this.baseUrl = baseUrl;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(Route.get("/.well-known/oap/agents/", Permission.OPEN, this::list));
  }

  private Response list(Request request) {
    ListPage page = ListPage.of(request);
    List<Passport> found = passports.listed(page.after().map(AgentId::new), page.fetch());
    return page.answer("agents", found, passport -> passport.agentId().value(), this::shown)
        .header("Cache-Control", "public, max-age=60");
  }

  private JsonObject shown(Passport passport) {
    return PublicView.facts(passport, clock.instant())
        .with(
            "passport_url", new JsonString(baseUrl + "/api/verify/" + passport.agentId().value()));
  }
}
