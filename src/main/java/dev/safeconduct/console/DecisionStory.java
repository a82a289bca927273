package dev.safeconduct.console;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.signing.Verifier;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tells a decision: asked, checked, stopped at, recorded. A pack's checks are made in order and the
 * first that fails decides, so the recorded reason says how each of them came out, as long as the
 * pack is still the one it was judged by.
 */
public final class DecisionStory {
  private static final int LONG = 4_000;

  /** The checks before any rule, by the code they deny with. */
  private static final Map<String, String> COMMON =
      Map.of(
          "oap.passport_suspended", "status",
          "oap.passport_expired", "expiry",
          "oap.unknown_capability", "capability",
          "oap.assurance_insufficient", "assurance",
          "oap.invalid_context", "context",
          "oap.server_not_allowed", "mcp",
          "oap.tool_not_allowed", "mcp",
          "oap.region_blocked", "region",
          "oap.approval_required", "approval");

  private final DecisionWords words;
  private final Verifier verifier;

  DecisionStory(DecisionWords words, Verifier verifier) {
    this.words = words;
    this.verifier = verifier;
  }

  /** The page; {@code console/decision.jte}. */
  public record View(
      Shell shell,
      DecisionWords.Line line,
      String lead,
      String policyName,
      List<Field> asked,
      List<Step> steps,
      String stepsNote,
      List<Field> recorded,
      Proof proof,
      String json,
      String curl) {
    public View {
      asked = List.copyOf(asked);
      steps = List.copyOf(steps);
      recorded = List.copyOf(recorded);
    }
  }

  /** A name with its value. */
  public record Field(String name, String value) {}

  /**
   * A check.
   *
   * @param outcome passed, failed or skipped
   */
  public record Step(String outcome, String name, String text, List<Field> compared) {
    public Step {
      compared = List.copyOf(compared);
    }
  }

  /** What can be proven of the record. */
  public record Proof(boolean signed, boolean included, String signature, String inclusion) {}

  View tell(OpenPage page, Shell shell, JsonObject record) {
    JsonObject body = Read.object(record, "body");
    JsonObject details = Read.object(record, "details");
    JsonObject context = Read.object(details, "context");
    DecisionWords.Line line = words.line(record, page.now());
    String policy = Read.text(record, "policy_id");
    Optional<JsonObject> pack = pack(page, body, policy);
    JsonObject reason = Read.objects(body, "reasons").stream().findFirst().orElse(JsonObject.EMPTY);
    return new View(
        shell,
        line,
        line.allow()
            ? "Allowed: every check of " + words.policyName(policy) + " passed."
            : Read.text(reason, "message"),
        words.policyName(policy),
        fields(context, List.of("agent_id")),
        steps(page, body, pack, reason, context, line.allow()),
        pack.isPresent()
            ? ""
            : "The policy has changed since, so only the check that decided is known.",
        recorded(record, body, details),
        proof(page, record, body),
        Json.text(body),
        Curl.get(page, "/api/audit/" + Read.text(record, "record_id")));
  }

  /** The pack as it decided; empty when it is another one now. */
  private static Optional<JsonObject> pack(OpenPage page, JsonObject body, String id) {
    String digest = Read.text(body, "policy_digest");
    return page.find("/api/policies/" + Show.url(id))
        .or(() -> page.find("/api/orgs/" + Show.url(page.org()) + "/policies/" + Show.url(id)))
        .map(found -> found.object("policy").orElse(found))
        .filter(found -> CanonicalJson.digest(found).equals(digest));
  }

  private static List<Field> fields(JsonObject from, List<String> but) {
    var fields = new ArrayList<Field>();
    for (String name : from.names()) {
      JsonValue value = from.present(name);
      if (value != null && !but.contains(name)) {
        fields.add(new Field(Show.words(name), Show.clip(Read.plain(value), LONG)));
      }
    }
    return fields;
  }

  private List<Step> steps(
      OpenPage page,
      JsonObject body,
      Optional<JsonObject> pack,
      JsonObject reason,
      JsonObject context,
      boolean allow) {
    String rule = Read.text(reason, "rule");
    String code = Read.text(reason, "code");
    String failed = allow ? "" : rule.isEmpty() ? COMMON.getOrDefault(code, code) : "rule " + rule;
    JsonObject limits = limits(page, body, pack);
    var planned = new ArrayList<Step>();
    plan(planned, "status", "The passport is active");
    plan(planned, "expiry", "The passport has not expired");
    plan(planned, "capability", "The passport holds the capability");
    plan(planned, "assurance", "We are sure enough of the owner");
    plan(planned, "context", "The action is described properly");
    for (JsonObject each : pack.map(p -> Read.objects(p, "evaluation_rules")).orElse(List.of())) {
      planned.add(
          new Step(
              "rule " + Read.text(each, "name"),
              Show.sentence(Show.words(Read.text(each, "name"))),
              Read.text(each, "description"),
              compared(each, limits, context)));
    }
    plan(planned, "region", "The region is on the passport");
    if (pack.isPresent() && pack.get().isTrue("approval_gate")) {
      plan(planned, "approval", "Nobody has to approve it first, or somebody has");
    }
    if (!failed.isEmpty() && planned.stream().noneMatch(step -> step.outcome().equals(failed))) {
      plan(planned, failed, rule.isEmpty() ? Words.reason(code) : Show.sentence(Show.words(rule)));
    }
    return outcomes(planned, failed, pack.isPresent(), Read.text(reason, "message"));
  }

  private static void plan(List<Step> steps, String key, String name) {
    steps.add(new Step(key, name, "", List.of()));
  }

  private static List<Step> outcomes(
      List<Step> planned, String failed, boolean known, String message) {
    var told = new ArrayList<Step>();
    boolean stopped = false;
    for (Step step : planned) {
      boolean stops = step.outcome().equals(failed);
      if (stops) {
        told.add(new Step("failed", step.name(), message, step.compared()));
        stopped = true;
      } else if (known && !step.outcome().equals("rule ")) {
        told.add(new Step(stopped ? "skipped" : "passed", step.name(), step.text(), List.of()));
      }
    }
    return told;
  }

  /** The limits of the passport's that the pack reads, while the passport is as it was. */
  private static JsonObject limits(OpenPage page, JsonObject body, Optional<JsonObject> pack) {
    Optional<JsonObject> passport =
        page.find("/api/passports/" + Show.url(Read.text(body, "agent_id")))
            .filter(
                found -> CanonicalJson.digest(found).equals(Read.text(body, "passport_digest")));
    if (passport.isEmpty() || pack.isEmpty()) {
      return JsonObject.EMPTY;
    }
    JsonObject all = Read.object(passport.get(), "limits");
    JsonObject.Builder read = JsonObject.builder().putAll(all);
    for (String container : Read.texts(pack.get(), "limits_containers")) {
      read.putAll(Read.object(all, container));
    }
    return read.build();
  }

  private static List<Field> compared(JsonObject rule, JsonObject limits, JsonObject context) {
    var compared = new ArrayList<Field>();
    for (String name : Read.texts(rule, "limits")) {
      JsonValue value = limits.present(name);
      if (value != null) {
        compared.add(new Field("Limit: " + Show.words(name), Show.clip(Read.plain(value), LONG)));
      }
    }
    for (String name : Read.texts(rule, "context")) {
      JsonValue value = context.present(name);
      if (value != null) {
        compared.add(new Field("Asked: " + Show.words(name), Show.clip(Read.plain(value), LONG)));
      }
    }
    return compared;
  }

  private static List<Field> recorded(JsonObject record, JsonObject body, JsonObject details) {
    var fields = new ArrayList<Field>();
    fields.add(new Field("Decision", Read.text(record, "record_id")));
    fields.add(new Field("At", Read.text(record, "at")));
    fields.add(new Field("Asked by", Words.caller(Read.text(details, "caller"))));
    fields.add(new Field("From", Read.text(details, "address")));
    fields.add(new Field("Request", Read.text(details, "request_id")));
    fields.add(new Field("Assurance", Read.text(body, "assurance_level")));
    fields.add(new Field("Passport digest", Read.text(body, "passport_digest")));
    fields.add(new Field("Policy digest", Read.text(body, "policy_digest")));
    fields.add(new Field("Context digest", Read.text(body, "context_digest")));
    fields.removeIf(field -> field.value().isEmpty());
    return fields;
  }

  private Proof proof(OpenPage page, JsonObject record, JsonObject body) {
    String signature = Read.text(record, "signature");
    boolean signed =
        signature.startsWith("ed25519:")
            && verifier.verify(
                Read.text(body, "kid"),
                CanonicalJson.bytes(body),
                decoded(signature.substring("ed25519:".length())));
    Inclusion inclusion = Inclusion.of(page, Read.text(record, "record_id"));
    return new Proof(
        signed,
        inclusion.holds(),
        signed
            ? "Signed with the key " + Read.text(body, "kid") + "."
            : "The signature does not fit the recorded text.",
        inclusion.text());
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException _) {
      return new byte[0];
    }
  }
}
