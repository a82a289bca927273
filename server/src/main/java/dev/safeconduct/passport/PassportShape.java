package dev.safeconduct.passport;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.catalog.CapabilitiesCheck;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Content;
import dev.safeconduct.passport.catalog.FieldCheck;
import dev.safeconduct.passport.catalog.HooksCheck;
import dev.safeconduct.passport.catalog.LimitsCheck;
import dev.safeconduct.text.Words;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The members of a passport that its owner may set, with type, length and form of each. Every error
 * names the member by its path. Other members are not stored: a misspelled one is refused, and any
 * other gives a warning.
 */
public final class PassportShape {
  private static final Pattern CODE = Pattern.compile("[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?");

  private static final int MAX_NAME = 100;
  private static final int MAX_DESCRIPTION = 1000;
  private static final int MAX_BYTES = 128 * 1024;
  private static final int MAX_METADATA_BYTES = 32 * 1024;
  private static final int MAX_URL = 2048;
  private static final int MAX_WARNINGS = 100;
  private static final Pattern DID = Pattern.compile("did:[a-z0-9]+:[A-Za-z0-9._:%/#?=-]{1,256}");
  private static final Set<String> REMOVABLE =
      Words.set("description contact did expires_at never_expires metadata links hooks");

  /**
   * Members that the service sets, or that only issuing reads; {@code id} is a preset's, which can
   * be sent as it is.
   */
  private static final Set<String> OTHERS =
      Words.set(
          """
          id agent_id passport_id kind template_id parent_agent_id spec_version owner_id owner_type
          org_id assurance_level status claimed created_at updated_at modified_at status_updated_at
          version issuer warnings webhook
          """);

  /** Reads one member that is present and not null. */
  private interface Reader {
    JsonValue read(Members body, String name, List<String> warnings);
  }

  private final CapabilitiesCheck capabilities;
  private final LimitsCheck limits;
  private final Map<String, Reader> readers = new LinkedHashMap<>();
  private final Set<String> known;

  /** Returns the members of a passport in a file, checked against this release's catalogue. */
  public static PassportShape builtIn() {
    return new PassportShape(Catalogue.builtIn(), Optional.empty());
  }

  /** {@code repeated}: empty if a request must not name a capability twice. */
  public PassportShape(Catalogue catalogue, Optional<CapabilitiesCheck.Repeated> repeated) {
    this.capabilities = new CapabilitiesCheck(catalogue, repeated);
    this.limits = new LimitsCheck(catalogue);
    readers.put("name", (body, name, _) -> text(body.requiredLine(name, MAX_NAME)));
    readers.put("slug", (body, name, _) -> slug(body, name));
    readers.put(
        "description", (body, name, _) -> text(body.prose(name, MAX_DESCRIPTION).orElse("")));
    readers.put("role", (body, name, _) -> text(body.requiredLine(name, MAX_NAME)));
    readers.put("capabilities", (body, _, warnings) -> capabilities.run(body, warnings));
    readers.put("limits", this::limits);
    readers.put("regions", (body, name, _) -> regions(body, name));
    readers.put("framework", (body, name, _) -> words(body, name));
    readers.put("categories", (body, name, _) -> words(body, name));
    readers.put("links", (body, name, _) -> links(body, name));
    readers.put("contact", (body, name, _) -> text(body.requiredLine(name, 320)));
    readers.put("metadata", (body, name, _) -> metadata(body, name));
    readers.put("mcp", (body, name, _) -> mcp(body, name));
    readers.put(
        "hooks",
        (body, name, _) -> new HooksCheck(catalogue).run(body.members(name).orElseThrow()));
    readers.put("did", (body, name, _) -> did(body, name));
    readers.put(
        "expires_at", (body, name, _) -> text(IsoInstant.millis(body.instant(name).orElseThrow())));
    readers.put("never_expires", (body, name, _) -> JsonBoolean.of(body.flag(name).orElseThrow()));
    this.known = new HashSet<>(OTHERS);
    known.addAll(readers.keySet());
  }

  /**
   * Checks a body, and returns warnings for its author.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member
   */
  public List<String> warnings(JsonObject body) {
    return read(body).warnings();
  }

  /**
   * Reads the content members of a body.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member
   */
  public Content read(JsonObject body) {
    if (isLarger(body, MAX_BYTES)) {
      throw ProblemException.invalid("A passport has at most 128 KiB; keep it shorter.");
    }
    Members members = Members.of(body);
    List<String> warnings = members.unknown(known);
    var found = new LinkedHashMap<String, JsonValue>();
    var removed = new HashSet<String>();
    readers.forEach((name, reader) -> {
      if (members.has(name)) {
        found.put(name, reader.read(members, name, warnings));
      } else if (body.get(name) == JsonNull.NULL && REMOVABLE.contains(name)) {
        removed.add(name);
      }
    });
    if (found.containsKey("expires_at") && found.get("never_expires") == JsonBoolean.TRUE) {
      throw members.fault(
          "never_expires", "never_expires cannot be true while expires_at is given.");
    }
    return new Content(
        found, removed, warnings.subList(0, Math.min(warnings.size(), MAX_WARNINGS)));
  }

  private JsonValue limits(Members body, String name, List<String> warnings) {
    JsonObject given = body.members(name).orElseThrow().object();
    warnings.addAll(limits.run(given));
    return given;
  }

  private static JsonValue slug(Members body, String name) {
    String slug = body.requiredLine(name, Slug.MAX_LENGTH);
    if (!Slug.isValid(slug)) {
      throw body.fault(
          name, "slug must be lower-case ASCII letters and digits, joined by single hyphens.");
    }
    return text(slug);
  }

  private static JsonValue regions(Members body, String name) {
    Set<String> regions = new LinkedHashSet<>();
    List<String> given = body.lines(name, 300, 16).orElseThrow();
    for (int i = 0; i < given.size(); i++) {
      String at = name + "[" + i + "]";
      regions.add(
          region(given.get(i))
              .orElseThrow(() ->
                  FieldCheck.wrong(
                      at,
                      " must be a country such as US, a subdivision such as US-CA, or"
                          + " global.")));
    }
    return JsonArray.ofStrings(regions);
  }

  /** Reads a list of short names; a single name is treated as a list of one. */
  private static JsonValue words(Members body, String name) {
    if (body.object().get(name) instanceof JsonString) {
      return JsonArray.ofStrings(List.of(body.requiredLine(name, 64)));
    }
    return JsonArray.ofStrings(new LinkedHashSet<>(body.lines(name, 50, 64).orElseThrow()));
  }

  private static JsonValue links(Members body, String name) {
    Members links = body.members(name).orElseThrow();
    JsonObject.Builder kept = JsonObject.builder();
    for (String which : List.of("homepage", "repo", "docs")) {
      links
          .text(which)
          .filter(url -> !url.isBlank())
          .ifPresent(url -> kept.put(which, url(links, which, url.strip())));
    }
    return kept.build();
  }

  private static String url(Members links, String which, String text) {
    try {
      URI url = new URI(text);
      boolean web =
          "https".equalsIgnoreCase(url.getScheme()) || "http".equalsIgnoreCase(url.getScheme());
      if (web && url.getHost() != null && url.getUserInfo() == null && text.length() <= MAX_URL) {
        return text;
      }
    } catch (URISyntaxException e) {
      // Fall through to the error below, as for any other invalid URL.
    }
    throw links.fault(
        which, links.path(which) + " must be an http or https address of at most 2048 characters.");
  }

  private static JsonValue metadata(Members body, String name) {
    JsonObject metadata = body.members(name).orElseThrow().object();
    if (isLarger(metadata, MAX_METADATA_BYTES)) {
      throw body.fault(name, "metadata has at most 32 KiB; keep it shorter.");
    }
    return metadata;
  }

  private static JsonValue mcp(Members body, String name) {
    Members mcp = body.members(name).orElseThrow().only(Set.of("servers", "tools"));
    return JsonObject.builder()
        .put("servers", JsonArray.ofStrings(mcp.lines("servers", 200, MAX_URL).orElse(List.of())))
        .put("tools", JsonArray.ofStrings(mcp.lines("tools", 1000, 256).orElse(List.of())))
        .build();
  }

  private static JsonValue did(Members body, String name) {
    String did = body.requiredLine(name, 300);
    if (!DID.matcher(did).matches()) {
      throw body.fault(name, "did must be a decentralized identifier such as did:web:example.com.");
    }
    return text(did);
  }

  private static JsonValue text(String text) {
    return new JsonString(text);
  }

  private static boolean isLarger(JsonObject value, int max) {
    return CanonicalJson.bytes(value).length > max;
  }

  /** Returns the stored form of the entry: codes in upper case, {@code global} in lower case. */
  static Optional<String> region(String text) {
    if (text.equals("*") || text.equalsIgnoreCase("global")) {
      return Optional.of(text.toLowerCase(Locale.ROOT));
    }
    // Match before upper-casing: some letters of other alphabets have capitals from A to Z.
    return CODE.matcher(text).matches()
        ? Optional.of(text.toUpperCase(Locale.ROOT))
        : Optional.empty();
  }
}
