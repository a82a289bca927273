package dev.safeconduct.store;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportStatus;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How a passport becomes a row and comes back. */
final class PassportRows {
  static final String COLUMNS = "agent_id, org, slug, name, status, revision, created_at, document";

  static final String INSERT =
      "INSERT INTO passport ("
          + COLUMNS
          + ", frameworks, capabilities, search, alias, listed)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  /** The form a UUID is folded to. */
  static final Pattern FOLDED = Pattern.compile("ap_[0-9a-f]{32}");

  private PassportRows() {}

  static @Nullable Object[] values(Passport passport) {
    return new @Nullable Object[] {
      passport.agentId().value(),
      passport.owner().value(),
      passport.slug().orElse(null),
      passport.name(),
      passport.status().wire(),
      passport.revision(),
      passport.createdAt().toEpochMilli(),
      Json.text(passport.document()),
      lines(passport.document().get("framework")),
      lines(passport.document().get("capabilities")),
      search(passport),
      alias(passport).map(AgentId::value).orElse(null),
      isListed(passport) ? 1 : 0
    };
  }

  /**
   * The id that the passport's UUID stands for, where the passport was brought over with another.
   */
  static Optional<AgentId> alias(Passport passport) {
    return passport
        .document()
        .string("passport_id")
        .flatMap(AgentId::hosted)
        .filter(id -> FOLDED.matcher(id.value()).matches() && !id.equals(passport.agentId()));
  }

  private static boolean isListed(Passport passport) {
    return passport.document().isTrue("claimed")
        && passport
            .document()
            .object("metadata")
            .filter(metadata -> metadata.isTrue("show_in_gallery"))
            .isPresent();
  }

  private static String search(Passport passport) {
    return (passport.name() + "\n" + passport.slug().orElse("") + "\n" + passport.agentId().value())
        .toLowerCase(Locale.ROOT);
  }

  /** The names in a list of texts or of objects with an id, each on a line of its own. */
  private static String lines(@Nullable JsonValue list) {
    var names = new ArrayList<String>();
    List<JsonValue> elements =
        switch (list) {
          case JsonArray array -> array.elements();
          case JsonString text -> List.of(text);
          case null, default -> List.of();
        };
    for (JsonValue element : elements) {
      if (element instanceof JsonString(String text)) {
        names.add(text);
      } else if (element instanceof JsonObject object) {
        object.string("id").ifPresent(names::add);
      }
    }
    return "\n" + String.join("\n", names) + "\n";
  }

  static Passport read(ResultSet row) throws SQLException {
    String status = row.getString("status");
    return new Passport(
        new AgentId(row.getString("agent_id")),
        new OrgId(row.getString("org")),
        Optional.ofNullable(row.getString("slug")),
        row.getString("name"),
        PassportStatus.parse(status)
            .orElseThrow(() -> new SQLException("no such status: " + status)),
        row.getLong("revision"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        document(row.getString("document")));
  }

  private static JsonObject document(String text) throws SQLException {
    try {
      return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new SQLException("a stored passport cannot be read", e);
    }
  }
}
