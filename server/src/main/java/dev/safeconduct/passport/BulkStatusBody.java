package dev.safeconduct.passport;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads requests that change many statuses and writes the responses. */
final class BulkStatusBody {
  private static final int MAX_TEXT = 200;
  private static final Set<String> MEMBERS =
      Set.of("filter", "status", "reason", "dry_run", "expect");

  /** The parts of a filter, in the order of the documentation. */
  private static final List<String> PARTS =
      List.of("org_id", "framework", "capability", "template_id", "agent_ids");

  private BulkStatusBody() {}

  static BulkStatus.Ask read(Members body) {
    body.only(MEMBERS);
    Members parts = body.members("filter").orElseThrow(() -> body.missing("filter"));
    if (parts.object().names().isEmpty()) {
      throw body.fault(
          "filter", "filter must have at least one of " + String.join(", ", PARTS) + ".");
    }
    BulkFilter filter = filter(parts);
    PassportStatus status =
        StatusBody.status(body, body.text("status").orElseThrow(() -> body.missing("status")));
    String reason =
        body.prose("reason", StatusBody.MAX_REASON).orElseThrow(() -> body.missing("reason"));
    if (reason.isEmpty()) {
      throw body.fault("reason", "reason must not be empty.");
    }
    return new BulkStatus.Ask(
        filter, status, reason, body.flag("dry_run").orElse(false), body.line("expect", MAX_TEXT));
  }

  private static BulkFilter filter(Members filter) {
    filter.only(Set.copyOf(PARTS));
    for (String part : PARTS) {
      // A value that somebody failed to fill in must not select more passports.
      if (filter.object().get(part) == JsonNull.NULL) {
        throw filter.fault(part, filter.path(part) + " must not be null; leave it out.");
      }
    }
    return new BulkFilter(
        filter.line("org_id", MAX_TEXT).map(OrgId::new),
        filter.line("framework", MAX_TEXT),
        filter.line("capability", MAX_TEXT),
        filter.line("template_id", MAX_TEXT).map(text -> agent(filter, "template_id", text)),
        filter
            .lines("agent_ids", BulkStatus.MOST, MAX_TEXT)
            .map(ids -> ids.stream().map(text -> agent(filter, "agent_ids", text)).toList()));
  }

  private static AgentId agent(Members filter, String name, String text) {
    return AgentId.hosted(text)
        .orElseThrow(
            () -> filter.fault(name, filter.path(name) + ": \"" + text + "\" is not an agent id."));
  }

  static JsonObject answer(BulkStatus.Ask ask, BulkStatus.Result done) {
    long changed = BulkStatus.changed(done.items());
    return JsonObject.builder()
        .put("ok", true)
        .put("dry_run", ask.dryRun())
        .put("status", ask.next().wire())
        .put("changed", changed)
        .put("skipped", done.items().size() - changed)
        .put("selection", done.selection())
        .put("updated_at", IsoInstant.millis(done.at()))
        .put(
            "passports",
            new JsonArray(done.items().stream().map(item -> shape(item, ask.next())).toList()))
        .put("webhook", StatusBody.webhook(done.delivery()))
        .build();
  }

  private static JsonValue shape(BulkStatus.Item item, PassportStatus next) {
    JsonObject.Builder shape = JsonObject.builder().put("agent_id", item.agent().value());
    switch (item) {
      case BulkStatus.Item.Changed changed -> describe(shape, changed.before(), next);
      case BulkStatus.Item.Skipped skipped ->
          describe(shape, skipped.passport(), skipped.passport().status());
      case BulkStatus.Item.Missing _ -> {}
    }
    Optional<String> skipped = BulkStatus.skipped(item, next);
    return shape.putIfPresent("skipped", skipped).build();
  }

  private static void describe(JsonObject.Builder shape, Passport passport, PassportStatus status) {
    shape
        .put("name", passport.name())
        .put("org_id", passport.owner().value())
        .put("previous_status", passport.status().wire())
        .put("status", status.wire());
  }
}
