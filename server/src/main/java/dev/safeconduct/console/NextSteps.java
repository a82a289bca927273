package dev.safeconduct.console;

import dev.safeconduct.approval.Approval;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.console.DecisionView.NextStep;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.verify.AskForApprovalEndpoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds what a reader can do about a decision: try it again, change the limit, answer for it. */
final class NextSteps {
  private static final Pattern LIMIT = Pattern.compile("\\blimits\\.([a-z_]+)");
  private static final int MOST_LIMITS = 3;

  private NextSteps() {}

  /**
   * @param pack the pack that decided, if it is unchanged
   */
  static List<NextStep> of(
      OpenPage page, JsonObject record, Decision decision, Optional<JsonObject> pack) {
    var steps = new ArrayList<NextStep>();
    String id = Formats.url(record.text("record_id"));
    if (page.may("GET", "/api/passports")) {
      steps.add(
          new NextStep(
              "/console/playground?decision=" + id,
              "Try again in the playground with this context"));
    }
    if (decision.allow()) {
      return steps;
    }
    Optional<JsonObject> passport =
        page.find("/api/passports/" + Formats.url(decision.agent().agentId()));
    String path = "/console/passports/" + Formats.url(decision.agent().agentId());
    if (passport.isPresent()
        && page.may("PATCH", "/api/passports/x")
        && !passport.get().text("status").equals("revoked")) {
      String edit = path + "/edit?decision=" + id;
      steps.addAll(ofPassport(page, decision, pack.orElse(JsonObject.EMPTY), passport.get(), edit));
    }
    if (passport.isPresent() && isOfPassport(decision.reason().code())) {
      steps.add(new NextStep(path, "Open the passport"));
    }
    if (decision.reason().code().equals(ReasonCode.APPROVAL_REQUIRED.wire())) {
      steps.addAll(approval(page, record, decision));
    }
    return steps;
  }

  /** A denial that no limit of the passport causes. */
  private static boolean isOfPassport(String code) {
    return List.of(
            ReasonCode.PASSPORT_SUSPENDED.wire(),
            ReasonCode.PASSPORT_EXPIRED.wire(),
            ReasonCode.ASSURANCE_INSUFFICIENT.wire(),
            ReasonCode.REGION_BLOCKED.wire())
        .contains(code);
  }

  /** Returns the links to what of the passport caused the denial. */
  private static List<NextStep> ofPassport(
      OpenPage page, Decision decision, JsonObject pack, JsonObject passport, String edit) {
    List<String> required = pack.texts("requires_capabilities");
    if (required.isEmpty()) {
      return List.of();
    }
    if (decision.reason().code().equals(ReasonCode.UNKNOWN_CAPABILITY.wire())) {
      String capability = Formats.url(required.getFirst());
      return List.of(
          new NextStep(
              edit + "&add=" + capability + "#capability:" + capability, "Add the capability"));
    }
    var held = new Capabilities(passport.list("capabilities"));
    JsonObject schema = page.get("/api/schema/capabilities-limits");
    // Capabilities with the same limits have one field.
    var links = new LinkedHashMap<String, NextStep>();
    for (String limit : limits(decision, pack)) {
      for (JsonObject known : schema.objects("capabilities")) {
        String capability = known.text("id");
        if (required.contains(capability)
            && held.holds(capability)
            && known.texts("limits").contains(limit)
            && links.size() < MOST_LIMITS) {
          String field = PassportFormPage.field(known, limit);
          links.putIfAbsent(
              field,
              new NextStep(
                  "%s&capability=%s&limit=%s#%s"
                      .formatted(edit, Formats.url(capability), Formats.url(limit), field),
                  "Open the limit “" + Formats.words(limit) + "”"));
        }
      }
    }
    var steps = new ArrayList<>(links.values());
    if (!steps.isEmpty()) {
      steps.add(
          new NextStep(
              steps.getFirst().path().replaceFirst("#.*", "#preview-bar"),
              "Preview a change on the last 24 hours"));
    }
    return steps;
  }

  /** Returns the limits that the denying rule reads, in the order in which it names them. */
  private static Set<String> limits(Decision decision, JsonObject pack) {
    var names = new LinkedHashSet<String>();
    String denying = decision.reason().rule().orElse("");
    for (JsonObject rule : pack.objects("evaluation_rules")) {
      if (rule.text("name").equals(denying)) {
        rule.texts("limits").forEach(name -> names.add(name.split("\\.", 2)[0]));
        LIMIT.matcher(Json.text(rule)).results().forEach(found -> names.add(found.group(1)));
      }
    }
    if (decision.reason().code().equals(ReasonCode.APPROVAL_REQUIRED.wire())) {
      names.add("approval_required");
    }
    return names;
  }

  /**
   * Returns the link to the approval that the denial opened, whatever became of it, and how to ask
   * for another one when it does not wait any more.
   */
  private static List<NextStep> approval(OpenPage page, JsonObject record, Decision decision) {
    var steps = new ArrayList<NextStep>();
    String id = Approval.id(decision.id());
    Optional<String> status =
        page.find("/api/approvals/" + id).map(answer -> answer.child("approval").text("status"));
    boolean waits = status.filter(Approval.Status.PENDING.wire()::equals).isPresent();
    status.ifPresent(known ->
        steps.add(
            new NextStep(
                "/console/approvals/" + id,
                waits
                    ? "Answer the request for approval"
                    : "Open the request for approval (" + known + ")")));
    if (!waits && page.may("POST", "/api/approvals")) {
      String path = "/console/decisions/" + decision.id() + "/ask";
      steps.add(
          AskForApprovalEndpoint.notStored(record.child("details"), decision)
              .map(why -> new NextStep("", why))
              .orElseGet(() -> new NextStep(path, "Ask for approval", true)));
    }
    return steps;
  }

  /** Returns the recorded context. */
  static JsonObject context(JsonObject record) {
    return record.child("details").child("context");
  }
}
