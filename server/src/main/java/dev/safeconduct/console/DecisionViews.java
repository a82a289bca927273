package dev.safeconduct.console;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.console.DecisionView.Check;
import dev.safeconduct.console.DecisionView.Checked;
import dev.safeconduct.console.DecisionView.Field;
import dev.safeconduct.console.DecisionView.Proof;
import dev.safeconduct.console.DecisionView.Recorded;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Labels;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.decision.CheckOrder;
import dev.safeconduct.decision.EvaluatedChecks;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Verifier;
import dev.safeconduct.verify.RecordedChecks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Shows a decision from its record: the request, the evaluated checks, and the proof. A check that
 * the record does not contain is never shown as passed.
 */
public final class DecisionViews {
  private static final int LONG = 4_000;

  private final DecisionWords words;
  private final Verifier verifier;

  DecisionViews(DecisionWords words, Verifier verifier) {
    this.words = words;
    this.verifier = verifier;
  }

  DecisionView of(OpenPage page, Layout shell, JsonObject record) {
    JsonObject body = record.child("body");
    JsonObject details = record.child("details");
    JsonObject context = details.child("context");
    DecisionWords.Line line = words.line(record, page.now());
    Decision decision =
        DecisionJson.read(body)
            .orElseThrow(() -> new IllegalStateException("a recorded decision cannot be read"));
    String policy = words.policyName(decision.policy().id());
    return new DecisionView(
        shell,
        line,
        outcome(decision, policy),
        policy,
        fields(context),
        checked(page, decision, RecordedChecks.read(details), context),
        new Recorded(
            recorded(page, record, decision, details),
            proof(page, record, body, decision),
            Json.text(body)),
        NextSteps.of(page, record, decision, pack(page, decision)),
        Curl.get(page, "/api/audit/" + record.text("record_id")));
  }

  private static String outcome(Decision decision, String policy) {
    return decision.allowedByPolicy()
        ? "Allowed: every check of " + policy + " passed."
        : decision.reason().message() + (decision.allow() ? "" : lifted(decision));
  }

  /** Why the policy denies besides, where observe mode lifted that; empty for other decisions. */
  static String lifted(Decision decision) {
    return decision
        .result()
        .observed()
        .map(first -> " Without observe mode, the policy denies it: " + first.message())
        .orElse("");
  }

  /** Shows a record that is not a decision, or not one that this release can read. */
  static PlainRecord plain(OpenPage page, Layout shell, JsonObject record) {
    String id = record.text("record_id");
    Inclusion inclusion = Inclusion.of(page, id);
    return new PlainRecord(
        shell,
        Formats.sentence(Formats.words(record.text("kind"))),
        record.text("agent_id"),
        page.when(record.text("at")),
        fields(record.child("body")),
        inclusion.holds(),
        inclusion.text(),
        Curl.get(page, "/api/audit/" + Formats.url(id)));
  }

  /** A record with its fields as they are; {@code console/record.jte}. */
  public record PlainRecord(
      Layout shell,
      String kind,
      String agentId,
      Formats.When at,
      List<Field> fields,
      boolean included,
      String inclusion,
      String curl) {}

  private static List<Field> fields(JsonObject from) {
    return Field.of("", from.without("agent_id"), LONG);
  }

  private static Checked checked(
      OpenPage page, Decision decision, List<EvaluatedChecks> made, JsonObject context) {
    Optional<JsonObject> pack = pack(page, decision);
    List<Field> compared = compared(page, decision, pack, context);
    if (made.isEmpty()) {
      return decision.allow()
          ? new Checked(List.of(), "The record does not say which checks were made.")
          : new Checked(
              List.of(
                  failed(
                      decision
                          .reason()
                          .rule()
                          .map(DecisionViews::ruleName)
                          .orElseGet(() -> Labels.reason(decision.reason().code())),
                      decision,
                      compared)),
              "The record does not say which checks were made before this one.");
    }
    var checks = new ArrayList<Check>();
    for (EvaluatedChecks one : made) {
      String whose = one.template().map(id -> "Template " + Formats.id(id) + ": ").orElse("");
      for (CheckOrder check : one.passed()) {
        if (check == CheckOrder.RULES) {
          rules(pack).forEach(rule -> checks.add(passed(whose + rule)));
        } else {
          checks.add(passed(whose + Labels.check(check)));
        }
      }
      List<Field> ofAgent = one.template().isEmpty() ? compared : List.of();
      if (one.failed().equals(Optional.of(CheckOrder.RULES)) && !one.rules().isEmpty()) {
        int last = one.rules().size() - 1;
        one.rules().subList(0, last).forEach(rule -> checks.add(passed(whose + ruleName(rule))));
        checks.add(failed(whose + ruleName(one.rules().get(last)), decision, ofAgent));
      } else if (one.failed().isPresent()) {
        checks.add(failed(whose + Labels.check(one.failed().get()), decision, ofAgent));
      }
    }
    return new Checked(
        checks, decision.allow() ? "" : "The check that failed was the last one made.");
  }

  /** Returns the pack's rules, all of which passed; one remark if the pack has changed since. */
  private static List<String> rules(Optional<JsonObject> pack) {
    return pack.map(found ->
            found.objects("evaluation_rules").stream()
                .map(rule -> ruleName(rule.text("name")))
                .toList())
        .orElse(List.of("Every rule of the policy"));
  }

  private static String ruleName(String rule) {
    return Formats.sentence(Formats.words(rule));
  }

  private static Check passed(String name) {
    return new Check(true, name, "", List.of());
  }

  private static Check failed(String name, Decision decision, List<Field> compared) {
    return new Check(false, name, decision.reason().message(), compared);
  }

  /** Returns the values that the denying rule compared, if passport and pack are unchanged. */
  private static List<Field> compared(
      OpenPage page, Decision decision, Optional<JsonObject> pack, JsonObject context) {
    if (decision.reason().rule().isEmpty() || pack.isEmpty()) {
      return List.of();
    }
    String deciding = decision.reason().rule().orElseThrow();
    JsonObject limits = limits(page, decision, pack.get());
    return pack.get().objects("evaluation_rules").stream()
        .filter(rule -> rule.text("name").equals(deciding))
        .flatMap(rule ->
            Stream.concat(
                Field.of("Limit: ", limits.only(rule.texts("limits")), LONG).stream(),
                Field.of("Asked: ", context.only(rule.texts("context")), LONG).stream()))
        .toList();
  }

  /** Returns the pack that decided; empty if it has changed since. */
  private static Optional<JsonObject> pack(OpenPage page, Decision decision) {
    String id = Formats.url(decision.policy().id());
    return page.find("/api/policies/" + id)
        .or(() -> page.find("/api/orgs/" + Formats.url(page.org()) + "/policies/" + id))
        .map(found -> found.object("policy").orElse(found))
        .filter(found -> CanonicalJson.digest(found).equals(decision.policy().digest()));
  }

  /** Returns the passport's limits that the pack reads, if the passport is unchanged. */
  private static JsonObject limits(OpenPage page, Decision decision, JsonObject pack) {
    Optional<JsonObject> passport =
        page.find("/api/passports/" + Formats.url(decision.agent().agentId()))
            .filter(found -> CanonicalJson.digest(found).equals(decision.agent().digest()));
    if (passport.isEmpty()) {
      return JsonObject.EMPTY;
    }
    JsonObject all = passport.get().child("limits");
    JsonObject.Builder read = JsonObject.builder().putAll(all);
    for (String container : pack.texts("limits_containers")) {
      read.putAll(all.child(container));
    }
    return read.build();
  }

  private static List<Field> recorded(
      OpenPage page, JsonObject record, Decision decision, JsonObject details) {
    var fields = new ArrayList<Field>();
    fields.add(new Field("Decision", decision.id().toString()));
    fields.add(new Field("At", record.text("at")));
    Actors.Actor asked = page.actor(details.text("caller"));
    fields.add(new Field("Asked by", asked.name(), asked.path()));
    fields.add(new Field("From", details.text("address")));
    fields.add(new Field("Request", details.text("request_id")));
    fields.add(new Field("Assurance", decision.agent().assuranceLevel()));
    fields.add(new Field("Passport digest", decision.agent().digest()));
    fields.add(new Field("Policy digest", decision.policy().digest()));
    fields.add(new Field("Context digest", decision.contextDigest()));
    fields.removeIf(field -> field.value().isEmpty());
    return fields;
  }

  private Proof proof(OpenPage page, JsonObject record, JsonObject body, Decision decision) {
    boolean signed =
        DecisionJson.signature(record.text(DecisionJson.SIGNATURE))
            .filter(bytes -> verifier.verify(decision.kid(), CanonicalJson.bytes(body), bytes))
            .isPresent();
    Inclusion inclusion = Inclusion.of(page, record.text("record_id"));
    return new Proof(
        signed,
        inclusion.holds(),
        signed
            ? "Signed with the key " + decision.kid() + "."
            : "The signature does not fit the recorded text.",
        inclusion.text());
  }
}
