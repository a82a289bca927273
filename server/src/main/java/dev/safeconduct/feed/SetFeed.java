package dev.safeconduct.feed;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.ArrayList;

/** Sets the values of one feed. Every later decision uses them. */
final class SetFeed {
  private static final int MAX_ENTRIES = 1_000;
  private static final int MAX_ID = 128;

  private final FeedStore feeds;
  private final Recorder recorder;

  SetFeed(FeedStore feeds, Recorder recorder) {
    this.feeds = feeds;
    this.recorder = recorder;
  }

  /**
   * Replaces the feed's values whole.
   *
   * @param org the organization in whose log the change is recorded
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid value
   */
  Feed run(Origin origin, OrgId org, KnownFeed feed, JsonObject values) {
    check(feed, values);
    Instant now = recorder.now();
    return feeds.put(
        new Feed(feed.wire(), values, now),
        before -> record(origin, org, feed, before, values, now));
  }

  static void check(KnownFeed feed, JsonObject values) {
    if (values.size() > MAX_ENTRIES) {
      throw ProblemException.invalid("values", "values has more than " + MAX_ENTRIES + " members.");
    }
    values.forEach((id, value) -> {
      if (id.isEmpty() || id.length() > MAX_ID) {
        throw ProblemException.invalid(
            "values", "The names in values must have 1 to 128 characters.");
      }
      feed.check("values." + id, value);
    });
  }

  /** Returns the record of a change, for callers that store the feed. */
  AuditRecord record(
      Origin origin, OrgId org, KnownFeed feed, JsonObject before, JsonObject values, Instant now) {
    JsonObject.Builder changed = JsonObject.builder();
    values.forEach((id, value) -> {
      JsonValue old = before.get(id);
      if (!value.equals(old)) {
        changed.put(id, value);
      }
    });
    var removed = new ArrayList<String>();
    for (String id : before.names()) {
      if (!values.has(id)) {
        removed.add(id);
      }
    }
    JsonObject what =
        JsonObject.builder()
            .put("change", "feed_set")
            .put("feed", feed.wire())
            .put("values_digest", CanonicalJson.digest(values))
            .put("changed", changed.build())
            .put("removed", JsonArray.ofStrings(removed))
            .build();
    return recorder.write(RecordKind.CONFIG, org, now, origin, what);
  }
}
