package dev.safeconduct.feed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import java.util.HashMap;

/** A cache of the feeds for rules, invalidated by the change feed. */
public final class FeedCache {
  private final FeedStore kept;
  private final Cache<String, Feeds> known = Caffeine.newBuilder().build();

  public FeedCache(FeedStore kept, ChangeFeed changes) {
    this.kept = kept;
    changes.listen(change -> {
      if (change.subject().equals(Change.FEEDS)) {
        known.invalidate(Change.FEEDS);
      }
    });
  }

  /** Returns the current feeds. */
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
