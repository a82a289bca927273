package dev.safeconduct.feed;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.function.Function;

/** Where feeds are kept. A change is one transaction with its record and announces itself. */
public interface KeptFeeds {
  /** All feeds ever set, by name. */
  List<Feed> all();

  /**
   * Replaces the feed whole; equal values change nothing and are not recorded.
   *
   * @param entry makes the record from the values that stood before
   * @return the feed as it is now
   */
  Feed put(Feed feed, Function<JsonObject, AuditRecord> entry);
}
