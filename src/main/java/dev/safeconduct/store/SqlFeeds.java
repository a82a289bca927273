package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.feed.Feed;
import dev.safeconduct.feed.KeptFeeds;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Feeds as rows, the values as one document. */
record SqlFeeds(Writer writer, Reads reads) implements KeptFeeds {
  private static final String SELECT = "SELECT name, document, updated_at FROM feed";

  @Override
  public List<Feed> all() {
    return reads.list(SELECT + " ORDER BY name", SqlFeeds::read, List.of());
  }

  @Override
  public Feed put(Feed feed, Function<JsonObject, AuditRecord> entry) {
    return writer.change(connection -> {
      Optional<Feed> before =
          Sql.list(connection, SELECT + " WHERE name = ?", SqlFeeds::read, List.of(feed.name()))
              .stream()
              .findFirst();
      JsonObject values = before.map(Feed::values).orElse(JsonObject.EMPTY);
      if (before.isPresent() && values.equals(feed.values())) {
        return Effect.none(before.get());
      }
      Sql.update(
          connection,
          "INSERT INTO feed (name, document, updated_at) VALUES (?, ?, ?) ON CONFLICT (name)"
              + " DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at",
          feed.name(),
          Json.text(feed.values()),
          feed.updatedAt().toEpochMilli());
      return Effect.of(feed, entry.apply(values), Change.FEEDS);
    });
  }

  private static Feed read(ResultSet row) throws SQLException {
    try {
      return new Feed(
          row.getString("name"),
          Json.parseObject(row.getString("document").getBytes(StandardCharsets.UTF_8)),
          Instant.ofEpochMilli(row.getLong("updated_at")));
    } catch (JsonFault e) {
      throw new SQLException("a stored feed cannot be read", e);
    }
  }
}
