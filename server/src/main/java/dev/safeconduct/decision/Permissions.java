package dev.safeconduct.decision;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.text.Folding;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a passport permits while it is valid, parsed once. The passports of a fleet often have the
 * same.
 *
 * @param level empty for a level that does not exist; L0 if the passport has no level
 * @param limits of all policies
 * @param regions trimmed and in lower case
 */
public record Permissions(
    Optional<AssuranceLevel> level,
    Capabilities capabilities,
    JsonObject limits,
    List<String> regions,
    Mcp mcp) {
  private static final String LIMITS = "limits";

  /** The members of a passport that they are read from, and no others. */
  static final List<String> MEMBERS =
      List.of(
          JudgedPassport.ASSURANCE_LEVEL,
          JudgedPassport.CAPABILITIES,
          LIMITS,
          JudgedPassport.REGIONS,
          JudgedPassport.MCP);

  public Permissions {
    regions = List.copyOf(regions);
  }

  /** The MCP servers and tools that the passport lists. */
  public record Mcp(List<String> servers, List<String> tools) {
    public Mcp {
      servers = List.copyOf(servers);
      tools = List.copyOf(tools);
    }
  }

  /**
   * Reads the permissions of a passport; a member of the wrong type permits as little as it may.
   */
  static Permissions of(JsonObject passport) {
    JsonObject read = passport.only(MEMBERS); // two passports with equal ones share the result
    return new Permissions(
        level(read),
        new Capabilities(read.list(JudgedPassport.CAPABILITIES)),
        read.child(LIMITS),
        read.list(JudgedPassport.REGIONS)
            .strings()
            .map(region -> Folding.trim(region).toLowerCase(Locale.ROOT))
            .toList(),
        mcp(read.child(JudgedPassport.MCP)));
  }

  static Optional<AssuranceLevel> level(JsonObject passport) {
    JsonValue stated = passport.present(JudgedPassport.ASSURANCE_LEVEL);
    if (stated == null) {
      return Optional.of(AssuranceLevel.L0);
    }
    return stated instanceof JsonString(String text)
        ? AssuranceLevel.parse(text)
        : Optional.empty();
  }

  private static Mcp mcp(JsonObject mcp) {
    return new Mcp(mcp.list("servers").texts(), mcp.list("tools").texts());
  }

  /** Returns about how many bytes they take in memory. */
  long size() {
    return SizeEstimate.of(limits)
        + capabilities.size()
        + Stream.of(regions, mcp.servers(), mcp.tools())
            .mapToLong(list -> SizeEstimate.of(JsonArray.ofStrings(list)))
            .sum();
  }

  /** Whether the regions cover the region. */
  public boolean covers(String region) {
    return cover(regions, region);
  }

  /** {@code entries}: the passport's regions, trimmed and in lower case. */
  private static boolean cover(List<String> entries, String region) {
    // The passport's entries are trimmed. The requested region is one value and is not trimmed.
    String wanted = region.toLowerCase(Locale.ROOT);
    for (String entry : entries) {
      if (entry.equals("*")
          || entry.equals("global")
          || entry.equals(wanted)
          || (isCountry(entry) && wanted.startsWith(entry + "-"))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCountry(String entry) {
    return entry.length() == 2 && isLetter(entry.charAt(0)) && isLetter(entry.charAt(1));
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }
}
