package dev.safeconduct.passport.template;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Content;
import dev.safeconduct.passport.catalog.FieldCheck;
import dev.safeconduct.passport.catalog.HooksCheck;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Checks an instance request against its template. Capabilities, limits, regions, MCP servers and
 * tools, hooks and the expiry may be narrower but never wider. Members that are not requested are
 * copied from the template. This check informs the author of an instance; decisions evaluate both
 * passports.
 */
public final class Narrowing {
  private final NarrowerCapabilities capabilities;
  private final NarrowerLimits limits;

  public Narrowing(Catalogue catalogue) {
    this.capabilities = new NarrowerCapabilities(catalogue);
    this.limits = new NarrowerLimits(catalogue);
  }

  /**
   * Returns the content with each narrowed member applied to the template's.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the member that would be wider
   */
  public Content of(JsonObject template, Content asked) {
    Map<String, JsonValue> members = new HashMap<>(asked.members());
    if (members.get("capabilities") instanceof JsonArray kept) {
      JsonArray held = template.list("capabilities");
      members.put("capabilities", capabilities.run(held, kept));
    }
    if (members.get("limits") instanceof JsonObject narrower) {
      JsonObject held = template.child("limits");
      members.put("limits", limits.run(held, narrower));
    }
    if (members.get("regions") instanceof JsonArray narrower) {
      regions(template.list("regions"), narrower);
    }
    if (members.get("mcp") instanceof JsonObject narrower) {
      mcp(template.child("mcp"), narrower);
    }
    if (members.get("hooks") instanceof JsonObject narrower) {
      hooks(template.child("hooks"), narrower);
    }
    expiry(template, asked);
    return new Content(members, asked.removed(), asked.warnings());
  }

  /**
   * Returns the params of a capability that a request names twice.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming a param with contradictory values
   */
  public JsonObject both(String path, String id, JsonObject first, JsonObject again) {
    return capabilities.both(path, id, first, again);
  }

  private static void regions(JsonArray above, JsonArray own) {
    List<String> theirs = above.texts();
    int i = 0;
    for (String region : own.texts()) {
      String path = "regions[" + i++ + "]";
      if (theirs.stream().noneMatch(each -> covers(each, region))) {
        throw FieldCheck.wrong(path, ": the template does not cover " + region + ".");
      }
    }
  }

  /**
   * Compares regions as evaluation does: a country covers its subdivisions (pack catalogue 0.9).
   */
  private static boolean covers(String above, String region) {
    String theirs = above.strip().toLowerCase(Locale.ROOT);
    String own = region.toLowerCase(Locale.ROOT);
    return theirs.equals("*")
        || theirs.equals("global")
        || theirs.equals(own)
        || (theirs.length() == 2 && own.startsWith(theirs + "-"));
  }

  private static void mcp(JsonObject above, JsonObject own) {
    for (String list : List.of("servers", "tools")) {
      listed("mcp." + list, above, own, list);
    }
  }

  private static void listed(String at, JsonObject above, JsonObject own, String list) {
    var theirs = new HashSet<>(above.list(list).texts());
    int i = 0;
    for (String entry : own.list(list).texts()) {
      String path = at + "[" + i++ + "]";
      if (!theirs.contains("*") && !theirs.contains(entry)) {
        throw FieldCheck.wrong(path, " is not in the template's list.");
      }
    }
  }

  private static void hooks(JsonObject above, JsonObject own) {
    for (String member : List.of(HooksCheck.SERVERS, HooksCheck.TOOLS)) {
      JsonObject theirs = above.child(member);
      own.child(member)
          .forEach((name, value) -> {
            String path = "hooks." + member + "." + name;
            if (!value.equals(theirs.get(name))) {
              throw FieldCheck.wrong(path, " is not the template's.");
            }
          });
    }
    listed("hooks." + HooksCheck.AUTO_APPROVE, above, own, HooksCheck.AUTO_APPROVE);
  }

  private static void expiry(JsonObject template, Content asked) {
    boolean never = template.isTrue("never_expires") || template.present("expires_at") == null;
    if (never) {
      return;
    }
    if (asked.members().get("never_expires") == JsonBoolean.TRUE) {
      throw wider("never_expires");
    }
    if (asked.removed().contains("expires_at")) {
      throw wider("expires_at");
    }
    if (asked.members().get("expires_at") instanceof JsonString(String own)) {
      Optional<Instant> end = template.string("expires_at").flatMap(IsoInstant::parse);
      Optional<Instant> ours = IsoInstant.parse(own);
      if (end.isEmpty() || ours.isEmpty() || ours.get().isAfter(end.get())) {
        throw wider("expires_at");
      }
    }
  }

  private static RuntimeException wider(String name) {
    return FieldCheck.wrong(name, ": an instance ends no later than its template.");
  }
}
