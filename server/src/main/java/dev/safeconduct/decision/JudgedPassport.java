package dev.safeconduct.decision;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.json.Timestamp;
import dev.safeconduct.text.Sha256;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A passport in the form that decisions evaluate, parsed once. Parsing never fails: a member of the
 * wrong type has the strictest possible meaning.
 */
public final class JudgedPassport {
  /** The names of its members. */
  public static final String STATUS = "status";

  public static final String EXPIRES_AT = "expires_at";
  public static final String NEVER_EXPIRES = "never_expires";
  public static final String ASSURANCE_LEVEL = "assurance_level";
  public static final String CAPABILITIES = "capabilities";
  public static final String REGIONS = "regions";
  public static final String MCP = "mcp";

  /** The members that say whether it is active and until when. */
  public static final List<String> VALIDITY = List.of(STATUS, EXPIRES_AT, NEVER_EXPIRES);

  private static final String AGENT_ID = "agent_id";
  private static final String PASSPORT_ID = "passport_id";
  private static final String KIND = "kind";
  private static final String PARENT = "parent_agent_id";
  private static final String TEMPLATE = "template_id";

  private final Supplier<JsonObject> document;
  private final Supplier<Permissions> permissions;
  private final String permissionsDigest;

  /** The bytes that are kept of the document; negative if it is kept as it is. */
  private final int kept;

  private final Optional<String> status;
  private final Expiry expiry;
  private final AssuranceLevel level;
  private final Optional<String> passportId;
  private final boolean instance;
  private final Optional<String> parent;

  private JudgedPassport(
      JsonObject read,
      Supplier<JsonObject> document,
      Supplier<Permissions> permissions,
      String permissionsDigest,
      int kept) {
    this.document = document;
    this.permissions = permissions;
    this.permissionsDigest = permissionsDigest;
    this.kept = kept;
    status = read.string(STATUS);
    expiry = Expiry.of(read);
    level = Permissions.level(read).orElse(AssuranceLevel.L0);
    passportId = read.string(PASSPORT_ID);
    instance = read.get(KIND) instanceof JsonString(String kind) && kind.equals("instance");
    parent = read.string(PARENT).or(() -> read.string(TEMPLATE));
  }

  /** The time when a passport expires. */
  public sealed interface Expiry {
    /** Returns the instant from which on the passport is expired. */
    Instant end();

    /** Returns whether the passport is expired then. */
    default boolean isOver(Instant now) {
      return !end().isAfter(now);
    }

    record Never() implements Expiry {
      @Override
      public Instant end() {
        return Instant.MAX;
      }
    }

    /** {@code text}: the time as the passport spells it. */
    record At(Instant end, String text) implements Expiry {}

    /** The passport has an expiry that cannot be parsed. */
    record Malformed() implements Expiry {
      @Override
      public Instant end() {
        return Instant.MIN;
      }
    }

    /** Reads the expiry of a passport. */
    static Expiry of(JsonObject document) {
      JsonValue expires = document.present(EXPIRES_AT);
      if (expires == null || document.isTrue(NEVER_EXPIRES)) {
        return new Never();
      }
      return expires instanceof JsonString(String text)
          ? Timestamp.parse(text).<Expiry>map(end -> new At(end, text)).orElseGet(Malformed::new)
          : new Malformed();
    }
  }

  /** Reads the passport. */
  public static JudgedPassport of(JsonObject document) {
    Permissions permissions = Permissions.of(document);
    return new JudgedPassport(document, () -> document, () -> permissions, "", -1);
  }

  /**
   * Reads a passport of which many are kept: it holds little of the document.
   *
   * @param again returns an equal document
   * @param once returns an equal document that is not needed again soon
   * @param kept the bytes that are kept of the document
   */
  public static JudgedPassport of(
      JsonObject document, Supplier<JsonObject> again, Supplier<JsonObject> once, int kept) {
    return new JudgedPassport(
        document,
        again,
        () -> Permissions.of(once.get()),
        Sha256.hex(Json.bytes(document.only(Permissions.MEMBERS))),
        kept);
  }

  /** The whole passport, for expressions and answers. */
  public JsonObject document() {
    return document.get();
  }

  public Permissions permissions() {
    return permissions.get();
  }

  /**
   * The digest of all that {@link #permissions} are read from; empty for a passport of one request.
   */
  public String permissionsDigest() {
    return permissionsDigest;
  }

  /** Returns about how many bytes its document takes in memory. */
  public long size() {
    return kept < 0 ? SizeEstimate.of(document()) : kept;
  }

  /** The status as the passport spells it. */
  public Optional<String> status() {
    return status;
  }

  public Expiry expiry() {
    return expiry;
  }

  /** Returns the level to evaluate. A level that does not exist counts as the lowest. */
  public AssuranceLevel levelOrLowest() {
    return level;
  }

  /** {@code agent_id}. */
  public Optional<String> agentId() {
    return document().string(AGENT_ID);
  }

  /** {@code passport_id}. */
  public Optional<String> passportId() {
    return passportId;
  }

  /** Whether the passport is an instance of a template. */
  public boolean isInstance() {
    return instance;
  }

  /** Returns the agent id of the template of an instance. */
  public Optional<String> parent() {
    return parent;
  }
}
