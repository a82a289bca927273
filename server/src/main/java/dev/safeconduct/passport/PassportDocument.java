package dev.safeconduct.passport;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Content;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and rewrites a passport's document, the form used for storage, evaluation and responses.
 */
public final class PassportDocument {
  private static final Pattern VERSION = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})\\.(\\d{1,9})");

  /** The values of removed members; all other removed members are left out. */
  private static final Map<String, JsonValue> EMPTY =
      Map.of(
          "description", new JsonString(""),
          "metadata", JsonObject.EMPTY,
          "links", JsonObject.EMPTY);

  private PassportDocument() {}

  static Passport passport(JsonObject document, long revision) {
    return new Passport(
        new AgentId(text(document, "agent_id")),
        new OrgId(text(document, "owner_id")),
        document.string("slug"),
        text(document, "name"),
        PassportStatus.parse(text(document, "status")).orElseThrow(),
        revision,
        IsoInstant.parse(text(document, "created_at")).orElseThrow(),
        document);
  }

  /** Returns the document with the request's changes; the same document if nothing changes. */
  public static JsonObject apply(JsonObject document, Content content) {
    JsonObject next = document;
    for (Map.Entry<String, JsonValue> member : content.members().entrySet()) {
      next = next.with(member.getKey(), member.getValue());
    }
    for (String name : content.removed()) {
      JsonValue empty = EMPTY.get(name);
      next = empty == null ? next.without(name) : next.with(name, empty);
    }
    // Having both an expiry and "never" would be ambiguous.
    if (content.members().get("never_expires") == JsonBoolean.TRUE) {
      next = next.without("expires_at");
    } else if (content.members().containsKey("expires_at")) {
      next = next.without("never_expires");
    }
    return next;
  }

  /** Returns the document after a content change. */
  static JsonObject touched(JsonObject document, Instant now) {
    return document
        .with("version", bumped(text(document, "version")))
        .with("modified_at", IsoInstant.millis(now));
  }

  /** Returns the document after a status change. {@code updated_at} is the time of the last one. */
  static JsonObject withStatus(JsonObject document, PassportStatus status, Instant now) {
    JsonString at = new JsonString(IsoInstant.millis(now));
    return document
        .with("status", status.wire())
        .with("updated_at", at)
        .with("modified_at", at)
        .with("status_updated_at", at);
  }

  static Instant statusUpdatedAt(Passport passport) {
    return passport
        .document()
        .string("status_updated_at")
        .flatMap(IsoInstant::parse)
        .orElse(passport.createdAt());
  }

  static boolean isVersion(String text) {
    return VERSION.matcher(text).matches();
  }

  /** Returns the members whose values differ, in the newer document's order. */
  static List<String> changed(JsonObject before, JsonObject after) {
    return java.util.stream.Stream.concat(before.names().stream(), after.names().stream())
        .distinct()
        .filter(name -> !java.util.Objects.equals(before.get(name), after.get(name)))
        .toList();
  }

  private static String bumped(String version) {
    Matcher parts = VERSION.matcher(version);
    return parts.matches()
        ? parts.group(1) + "." + parts.group(2) + "." + (Long.parseLong(parts.group(3)) + 1)
        : version;
  }

  private static String text(JsonObject document, String name) {
    return document.string(name).orElseThrow();
  }
}
