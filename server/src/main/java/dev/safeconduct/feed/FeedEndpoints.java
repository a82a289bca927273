package dev.safeconduct.feed;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.Recorder;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code /api/admin/feeds}: the external values that the operator reports. */
public final class FeedEndpoints {
  private static final String FEED = "/api/admin/feeds/{feed_name}";

  private final FeedStore feeds;
  private final SetFeed setFeed;
  private final ActingOrganization organization;

  public FeedEndpoints(FeedStore feeds, Recorder recorder, ActingOrganization organization) {
    this.feeds = feeds;
    this.setFeed = new SetFeed(feeds, recorder);
    this.organization = organization;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/admin/feeds", Permission.ADMIN_ONLY, this::list),
        Route.get(FEED, Permission.ADMIN_ONLY, this::read),
        Route.put(FEED, Permission.ADMIN_ONLY, this::set));
  }

  private Response list(Request request) {
    List<Feed> set = feeds.all();
    return Response.ok(
        JsonObject.builder()
            .put("feeds", List.of(KnownFeed.values()), feed -> shape(feed, set))
            .putNull("next_cursor"));
  }

  private Response read(Request request) {
    return Response.json(shape(named(request), feeds.all()));
  }

  private Response set(Request request) {
    KnownFeed feed = named(request);
    // A typo here would empty the feed, and an exchange that is offline would count as unknown.
    Members body = Members.of(request.json()).only(Set.of("values", "org_id"));
    JsonObject values = body.requiredMembers("values").object();
    Rights rights = Rights.of(request.caller());
    OrgId org =
        body.text("org_id")
            .or(() -> request.query("org_id"))
            .map(text -> organization.named(rights, text))
            .orElseGet(() -> organization.of(rights));
    Origin origin = request.origin();
    return Response.json(shape(feed, List.of(setFeed.run(origin, org, feed, values))));
  }

  private static JsonObject shape(KnownFeed known, List<Feed> set) {
    JsonObject.Builder shape = JsonObject.builder().put("name", known.wire());
    set.stream()
        .filter(feed -> feed.name().equals(known.wire()))
        .findFirst()
        .ifPresentOrElse(
            feed ->
                shape
                    .put("values", feed.values())
                    .put("updated_at", IsoInstant.millis(feed.updatedAt())),
            () -> shape.put("values", JsonObject.EMPTY).putNull("updated_at"));
    return shape.build();
  }

  private static KnownFeed named(Request request) {
    String name = request.pathParam("feed_name");
    return KnownFeed.parse(name)
        .orElseThrow(() ->
            ProblemException.notFound(
                "There is no such feed; there are " + KnownFeed.names() + ".",
                "feed_not_found",
                Map.of()));
  }
}
