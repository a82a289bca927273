package dev.safeconduct.feed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.ChangeFeed;
import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.json.JsonObject;
import java.util.HashMap;

/** The feeds as rules see them, as fresh as the change feed. */
public final class FeedCache {
  private final KeptFeeds kept;
  private final Cache<String, Feeds> known = Caffeine.newBuilder().build();

  public FeedCache(KeptFeeds kept, ChangeFeed changes) {
    this.kept = kept;
    changes.listen(change -> {
      if (change.subject().equals(Change.FEEDS)) {
        known.invalidate(Change.FEEDS);
      }
    });
  }

  /** What is reported now. */
  public Feeds feeds() {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    return known.get(Change.FEEDS, _ -> load());
  }

  private Feeds load() {
    var values = new HashMap<String, JsonObject>();
    kept.all().forEach(feed -> values.put(feed.name(), feed.values()));
    return values.isEmpty() ? Feeds.NONE : new Feeds(values);
  }
}
