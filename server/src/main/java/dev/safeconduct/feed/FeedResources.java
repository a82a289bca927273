package dev.safeconduct.feed;

import dev.safeconduct.deploy.Resource;
import dev.safeconduct.deploy.ResourceChange;
import dev.safeconduct.deploy.ResourceKind;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.Recorder;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Feeds in files. All organizations share them, so only an operator sets them. */
public final class FeedResources implements ResourceKind {
  private static final String KIND = "Feed";

  private final FeedStore feeds;
  private final SetFeed setFeed;
  private final Recorder recorder;

  public FeedResources(FeedStore feeds, Recorder recorder) {
    this.feeds = feeds;
    this.setFeed = new SetFeed(feeds, recorder);
    this.recorder = recorder;
  }

  @Override
  public List<String> names() {
    return List.of(KIND);
  }

  @Override
  public long count(OrgId org) {
    return 0; // There are few, and no organization owns them.
  }

  @Override
  public List<JsonObject> describe(Planning planning) {
    return planning.origin().caller() instanceof Caller.Admin
        ? feeds.all().stream()
            .map(feed ->
                JsonObject.builder()
                    .put("kind", KIND)
                    .put("name", feed.name())
                    .put("values", feed.values())
                    .build())
            .toList()
        : List.of();
  }

  @Override
  public Optional<JsonObject> current(OrgId org, String object) {
    return find(object).map(FeedResources::shown);
  }

  private static JsonObject shown(JsonObject values) {
    return JsonObject.of("values", values);
  }

  private Optional<JsonObject> find(String name) {
    return feeds.all().stream()
        .filter(feed -> feed.name().equals(name))
        .map(Feed::values)
        .findFirst();
  }

  /** Checks the members of a file without a server. */
  public static void check(Members members) {
    JsonObject _ = values(members, feed(members));
  }

  private static KnownFeed feed(Members members) {
    return members
        .only(Set.of("name", "values"))
        .text("name")
        .flatMap(KnownFeed::parse)
        .orElseThrow(() -> members.fault("name", "name must be one of " + KnownFeed.names() + "."));
  }

  private static JsonObject values(Members members, KnownFeed feed) {
    JsonObject values = members.requiredMembers("values").object();
    SetFeed.check(feed, values);
    return values;
  }

  @Override
  public List<ResourceChange> plan(Planning planning, List<Resource> resources) {
    return resources.stream()
        .map(resource -> resource.located(() -> change(planning, resource)))
        .toList();
  }

  private ResourceChange change(Planning planning, Resource resource) {
    if (!(planning.origin().caller() instanceof Caller.Admin)) {
      throw ProblemException.forbidden(
          "All organizations share the feeds; only an operator's token sets them.");
    }
    Members members = resource.members();
    KnownFeed feed = feed(members);
    JsonObject values = values(members, feed);
    Optional<JsonObject> before = find(feed.wire());
    var target = new ResourceChange.Target(KIND, feed.wire(), feed.wire());
    String seen = before.map(CanonicalJson::digest).orElse("none");
    ResourceChange change;
    if (before.equals(Optional.of(values))) {
      change = ResourceChange.unchanged(target, seen);
    } else {
      var set = new Feed(feed.wire(), values, recorder.now());
      JsonObject old = before.orElse(JsonObject.EMPTY);
      change =
          ResourceChange.update(
              target,
              seen,
              ResourceChange.Difference.between(shown(old), shown(values)),
              FeedStore.putting(
                  set,
                  before,
                  setFeed.record(
                      planning.origin(), planning.org(), feed, old, values, set.updatedAt())));
    }
    return change.applying(shown(values), List.of());
  }
}
