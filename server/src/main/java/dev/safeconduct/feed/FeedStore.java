package dev.safeconduct.feed;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The stored feeds. A change and its record are one transaction, which announces the change. */
public final class FeedStore {
  private static final String SELECT = "SELECT name, document, updated_at FROM feed";

  private static final String PUT =
      """
      INSERT INTO feed (name, document, updated_at)
      VALUES (:name, :document, :updated)
          ON CONFLICT (name)
          DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at
      """;

  private final Storage storage;

  public FeedStore(Storage storage) {
    this.storage = storage;
  }

  /** Returns all feeds that were ever set, by name. */
  public List<Feed> all() {
    return storage.reads().few(Sql.of(SELECT + " ORDER BY name"), FeedStore::read);
  }

  /**
   * Replaces the feed whole; equal values change nothing and are not recorded.
   *
   * @param entry makes the record from the previous values
   * @return the feed as it is now
   */
  public Feed put(Feed feed, Function<JsonObject, AuditRecord> entry) {
    return storage.change(connection -> {
      Optional<Feed> before =
          Sql.of(SELECT + " WHERE name = :name", feed.name()).first(connection, FeedStore::read);
      JsonObject values = before.map(Feed::values).orElse(JsonObject.EMPTY);
      if (before.isPresent() && values.equals(feed.values())) {
        return MutationResult.none(before.get());
      }
      Sql.of(PUT, feed.name(), feed.values(), feed.updatedAt()).update(connection);
      return MutationResult.of(feed, entry.apply(values), Change.FEEDS);
    });
  }

  /** Returns the change of a feed that has these values, to commit it with other changes. */
  static Mutation<Boolean> putting(Feed feed, Optional<JsonObject> seen, AuditRecord entry) {
    return connection -> {
      Optional<Feed> before =
          Sql.of(SELECT + " WHERE name = :name", feed.name()).first(connection, FeedStore::read);
      if (!before.map(Feed::values).equals(seen)) {
        return MutationResult.none(false);
      }
      Sql.of(PUT, feed.name(), feed.values(), feed.updatedAt()).update(connection);
      return MutationResult.of(true, entry, Change.FEEDS);
    };
  }

  private static Feed read(ResultSet row) throws SQLException {
    return new Feed(
        row.getString("name"), Rows.json(row, "document"), Rows.time(row, "updated_at"));
  }
}
