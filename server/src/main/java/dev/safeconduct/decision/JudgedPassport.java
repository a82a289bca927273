package dev.safeconduct.decision;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Timestamp;
import dev.safeconduct.text.Folding;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A passport in the form that decisions evaluate, parsed once. Parsing never fails: a member of the
 * wrong type has the strictest possible meaning.
 *
 * @param document the whole passport, for expressions and answers
 * @param status as the passport spells it
 * @param level empty for a level that does not exist; L0 if the passport has no level
 * @param limits of all policies
 * @param regions trimmed and in lower case
 */
public record JudgedPassport(
    JsonObject document,
    Optional<String> status,
    Expiry expiry,
    Optional<AssuranceLevel> level,
    Capabilities capabilities,
    JsonObject limits,
    List<String> regions,
    Mcp mcp) {
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

  private static final String LIMITS = "limits";
  private static final String AGENT_ID = "agent_id";
  private static final String PASSPORT_ID = "passport_id";
  private static final String KIND = "kind";
  private static final String PARENT = "parent_agent_id";
  private static final String TEMPLATE = "template_id";

  public JudgedPassport {
    regions = List.copyOf(regions);
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

  /** The MCP servers and tools that the passport lists. */
  public record Mcp(List<String> servers, List<String> tools) {
    public Mcp {
      servers = List.copyOf(servers);
      tools = List.copyOf(tools);
    }
  }

  /** Reads the passport. */
  public static JudgedPassport of(JsonObject document) {
    return new JudgedPassport(
        document,
        document.string(STATUS),
        Expiry.of(document),
        level(document),
        new Capabilities(document.array(CAPABILITIES).orElse(JsonArray.EMPTY)),
        document.object(LIMITS).orElse(JsonObject.EMPTY),
        document
            .array(REGIONS)
            .orElse(JsonArray.EMPTY)
            .strings()
            .map(region -> Folding.trim(region).toLowerCase(Locale.ROOT))
            .toList(),
        mcp(document.object(MCP).orElse(JsonObject.EMPTY)));
  }

  private static Optional<AssuranceLevel> level(JsonObject document) {
    JsonValue stated = document.present(ASSURANCE_LEVEL);
    if (stated == null) {
      return Optional.of(AssuranceLevel.L0);
    }
    return stated instanceof JsonString(String text)
        ? AssuranceLevel.parse(text)
        : Optional.empty();
  }

  private static Mcp mcp(JsonObject mcp) {
    return new Mcp(
        mcp.array("servers").orElse(JsonArray.EMPTY).texts(),
        mcp.array("tools").orElse(JsonArray.EMPTY).texts());
  }

  /** Returns the level to evaluate. A level that does not exist counts as the lowest. */
  public AssuranceLevel levelOrLowest() {
    return level.orElse(AssuranceLevel.L0);
  }

  /** {@code agent_id}. */
  public Optional<String> agentId() {
    return document.string(AGENT_ID);
  }

  /** {@code passport_id}. */
  public Optional<String> passportId() {
    return document.string(PASSPORT_ID);
  }

  /** Whether the passport is an instance of a template. */
  public boolean isInstance() {
    return document.get(KIND) instanceof JsonString(String kind) && kind.equals("instance");
  }

  /** Returns the agent id of the template of an instance. */
  public Optional<String> parent() {
    return document.string(PARENT).or(() -> document.string(TEMPLATE));
  }

  /** Whether the passport's regions cover the region. */
  public boolean covers(String region) {
    return Regions.cover(regions, region);
  }
}
