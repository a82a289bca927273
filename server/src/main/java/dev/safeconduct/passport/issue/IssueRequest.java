package dev.safeconduct.passport.issue;

import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.Slug;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.template.Narrowing;
import dev.safeconduct.passport.template.PresetNarrowing;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads an issue request without an account and turns it into a passport's body. The body contains
 * the framework's preset with the request's narrower values, and nothing else.
 */
public final class IssueRequest {
  static final String CAPABILITY = "deliverable.task.complete";

  private static final int MAX_CRITERIA = 100;
  private static final int MAX_PATTERNS = 200;
  private static final int MAX_WORDS = 10_000;
  private static final int DEFAULT_WORDS = 20;
  private static final List<String> FLAGS =
      List.of(
          "require_summary", "require_tests_passing", "require_different_reviewer", "scan_output");

  private static final int MIN_DESCRIPTION = 10;
  private static final int MAX_DESCRIPTION = 1000;
  private static final int MAX_NAME = 100;

  /**
   * The parsed request.
   *
   * @param email the address of the human who may claim the passport
   * @param warnings warnings for the issuer
   */
  record Parsed(JsonObject passport, Optional<EmailAddress> email, List<String> warnings) {}

  private static final Set<String> MEMBERS =
      Words.set(
          """
          name description email contact role slug framework regions links capabilities limits
          deliverable showInGallery
          """);

  private final Presets presets;
  private final Catalogue catalogue;
  private final PresetNarrowing narrowing;
  private final Narrowing repeated;
  private final IssueConfig config;
  private final Set<String> allowed;

  public IssueRequest(Presets presets, Catalogue catalogue, IssueConfig config) {
    this.presets = presets;
    this.catalogue = catalogue;
    this.narrowing = new PresetNarrowing(catalogue);
    this.repeated = new Narrowing(catalogue);
    this.config = config;
    this.allowed =
        config.maxCapabilities().isEmpty() ? presets.capabilities() : config.maxCapabilities();
  }

  IssueConfig config() {
    return config;
  }

  /** Returns the frameworks that have presets. */
  Stream<String> frameworks() {
    return presets.all().stream().flatMap(preset -> preset.frameworks().stream());
  }

  /**
   * Reads the request body.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member
   */
  Parsed parse(JsonObject json) {
    Members body = Members.of(json);
    List<String> warnings = body.unknown(MEMBERS);
    Optional<Preset> named = framework(body);
    Preset preset = named.orElseGet(presets::general);
    JsonObject.Builder passport = JsonObject.builder().put("owner_type", "user");
    passport.put(
        "name",
        body.line("name", MAX_NAME)
            .or(() -> named.map(Preset::name))
            .orElseThrow(() -> body.missing("name")));
    passport.put("description", description(body, named));
    passport.put("role", body.line("role", MAX_NAME).orElse(Preset.ROLE));
    slug(body).ifPresent(slug -> passport.put("slug", slug));
    for (String name : List.of("framework", "links")) {
      JsonValue value = json.present(name);
      if (value != null) {
        passport.put(name, value);
      }
    }
    passport.put(
        "regions",
        Optional.ofNullable(json.present("regions"))
            .orElseGet(() -> JsonArray.ofStrings(preset.regions())));
    passport.put("categories", JsonArray.ofStrings(preset.categories()));
    capabilities(body, preset, passport);
    passport.put("metadata", metadata(body, preset));
    return new Parsed(passport.build(), email(body), warnings);
  }

  /** Returns the preset of the first known framework in the body. */
  private Optional<Preset> framework(Members body) {
    if (body.object().present("framework") instanceof JsonString one) {
      return presets.find(one.value());
    }
    return body.lines("framework", 50, 64).orElse(List.of()).stream()
        .flatMap(name -> presets.find(name).stream())
        .findFirst();
  }

  private static String description(Members body, Optional<Preset> named) {
    String text =
        body.prose("description", MAX_DESCRIPTION)
            .filter(given -> !given.isEmpty())
            .or(() -> named.map(Preset::description))
            .orElseThrow(() -> body.missing("description"));
    if (text.codePointCount(0, text.length()) < MIN_DESCRIPTION) {
      throw body.fault(
          "description", "description must have at least " + MIN_DESCRIPTION + " characters.");
    }
    return text;
  }

  /** Derives a slug from any text; rejects text that yields no slug. */
  private static Optional<String> slug(Members body) {
    return body.line("slug", 200)
        .map(text ->
            Slug.of(text)
                .orElseThrow(
                    () -> body.fault("slug", "slug needs at least one ASCII letter or digit.")));
  }

  private Optional<EmailAddress> email(Members body) {
    Optional<String> text =
        body.text("email")
            .filter(given -> !given.isBlank())
            .or(() -> body.text("contact").filter(given -> given.contains("@")));
    if (text.isEmpty() && config.requireEmail()) {
      throw body.missing("email");
    }
    return text.map(given ->
        EmailAddress.parse(given)
            .orElseThrow(() -> body.fault("email", "email must be the email address of a human.")));
  }

  private void capabilities(Members body, Preset preset, JsonObject.Builder passport) {
    Map<String, JsonObject> params = new LinkedHashMap<>();
    Optional<JsonArray> asked = body.array("capabilities", 200);
    if (asked.isPresent() && !asked.get().isEmpty()) {
      for (int i = 0; i < asked.get().size(); i++) {
        ask(body, "capabilities[" + i + "]", asked.get().get(i), params);
      }
    } else {
      preset.capabilities().stream()
          .filter(allowed::contains)
          .forEach(id -> params.put(id, JsonObject.EMPTY));
    }
    Optional<Members> deliverable = body.members("deliverable");
    if (deliverable.isPresent()) {
      demandAllowed(body, "deliverable", CAPABILITY);
      params.putIfAbsent(CAPABILITY, JsonObject.EMPTY);
    }
    // Keep the limits the framework's preset tightens, even if the request lists capabilities.
    JsonObject blocks = Presets.overlaid(presets.limits(params.keySet()), shared(preset, params));
    if (deliverable.isPresent()) {
      JsonObject block = deliverableLimits(deliverable.get(), blocks.child(CAPABILITY));
      params.put(CAPABILITY, block);
      blocks = blocks.with(CAPABILITY, block);
    }
    Optional<Members> limits = body.members("limits");
    passport.put("capabilities", granted(params));
    passport.put(
        "limits", limits.isEmpty() ? blocks : narrowing.limits(blocks, limits.get().object()));
  }

  private static JsonObject shared(Preset preset, Map<String, JsonObject> params) {
    JsonObject shared = preset.limits();
    for (String container : preset.limits().names()) {
      boolean kept =
          params.keySet().stream()
              .anyMatch(id -> preset.capabilities().contains(id) && container.equals(id));
      if (!kept) {
        shared = shared.without(container);
      }
    }
    return shared;
  }

  private void ask(Members body, String path, JsonValue value, Map<String, JsonObject> params) {
    String text;
    JsonObject given = JsonObject.EMPTY;
    if (value instanceof JsonString id) {
      text = id.value();
    } else {
      Members capability = Members.at(path, value);
      text = capability.requiredText("id");
      given = capability.members("params").map(Members::object).orElse(JsonObject.EMPTY);
    }
    String id = catalogue.canonicalId(text).orElse(text);
    demandAllowed(body, path, id);
    narrowing.params(path + ".params", id, given);
    JsonObject first = params.get(id);
    params.put(id, first == null ? given : repeated.both(path + ".params", id, first, given));
  }

  private void demandAllowed(Members body, String path, String id) {
    if (!allowed.contains(id)) {
      String shown = Excerpt.clip(id, 100);
      throw body.fault(
          path,
          path
              + ": "
              + shown
              + " is not issued here, where API keys are ignored. With a key, use POST"
              + " /api/passports; without one, the passport's owner can add it.");
    }
  }

  private static JsonArray granted(Map<String, JsonObject> params) {
    var capabilities = new ArrayList<JsonValue>();
    params.forEach((id, given) ->
        capabilities.add(
            JsonObject.builder()
                .put("id", id)
                .put("params", Objects.requireNonNull(given))
                .build()));
    return new JsonArray(capabilities);
  }

  private static JsonObject metadata(Members body, Preset preset) {
    JsonObject.Builder metadata = JsonObject.builder().put("preset_id", preset.id());
    body.flag("showInGallery").ifPresent(shown -> metadata.put("show_in_gallery", shown));
    return metadata.build();
  }

  /**
   * Returns the limits.
   *
   * @param preset the preset whose flags stay set
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member
   */
  private static JsonObject deliverableLimits(Members asked, JsonObject preset) {
    JsonObject.Builder limits = JsonObject.builder();
    for (String flag : FLAGS) {
      limits.put(flag, asked.flag(flag).orElse(false) || preset.isTrue(flag));
    }
    boolean scans = asked.flag("scan_output").orElse(false);
    List<String> patterns = asked.lines("blocked_patterns", MAX_PATTERNS, 500).orElse(List.of());
    return limits
        .put(
            "min_summary_words",
            asked.whole("min_summary_words", 0, MAX_WORDS).orElse(DEFAULT_WORDS))
        .put("blocked_patterns", scans ? JsonArray.ofStrings(patterns) : JsonArray.EMPTY)
        .put(
            "acceptance_criteria",
            criteria(asked.lines("acceptance_criteria", MAX_CRITERIA, 500).orElse(List.of())))
        .build();
  }

  /**
   * Returns criteria with ids derived from their text, so that an attestation can refer to them.
   */
  private static JsonArray criteria(List<String> texts) {
    var criteria = new ArrayList<JsonValue>();
    Set<String> ids = new HashSet<>();
    for (String text : texts) {
      String id = Slug.of(text).orElse("criterion-" + (criteria.size() + 1));
      if (!ids.add(id)) {
        id = id + "-" + (criteria.size() + 1);
        ids.add(id);
      }
      criteria.add(JsonObject.builder().put("id", id).put("description", text).build());
    }
    return new JsonArray(criteria);
  }
}
