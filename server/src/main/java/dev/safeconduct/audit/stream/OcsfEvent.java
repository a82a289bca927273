package dev.safeconduct.audit.stream;

import dev.safeconduct.audit.RecordJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.StoredRecord;
import java.util.List;

/**
 * Records as events of the Open Cybersecurity Schema Framework, version 1.6.0
 * (https://schema.ocsf.io/1.6.0). What an agent does is API Activity (6003), a sign-in is
 * Authentication (3002), and changes of passports, keys, policies and settings are Entity
 * Management (3004). {@code unmapped} is the record itself, so nothing of it is lost.
 */
final class OcsfEvent {
  static final String VERSION = "1.6.0";

  private static final int IAM = 3;
  private static final int APPLICATION = 6;
  private static final int CATEGORY_FACTOR = 1_000;
  private static final int ACTIVITY_FACTOR = 100;
  private static final int OTHER = 99;

  private static final JsonObject PRODUCT =
      JsonObject.builder().put("name", "Safeconduct").put("vendor_name", "Safeconduct").build();

  /** The class of an event, without its category. */
  private enum Kind {
    API_ACTIVITY(APPLICATION, 3),
    AUTHENTICATION(IAM, 2),
    ENTITY_MANAGEMENT(IAM, 4);

    private final int category;
    private final int number;

    Kind(int category, int number) {
      this.category = category;
      this.number = number;
    }

    int uid() {
      return category * CATEGORY_FACTOR + number;
    }
  }

  /**
   * What was done.
   *
   * @param id 1 create or logon, 2 logoff, 3 update, 4 delete, 99 other
   * @param name of another activity, and of the operation
   * @param entity the type of what was changed, for Entity Management
   */
  private record Activity(Kind kind, int id, String name, String entity) {}

  private OcsfEvent() {}

  static JsonObject of(StoredRecord stored) {
    AuditRecord record = stored.entry();
    JsonObject json = RecordJson.record(stored);
    JsonObject body = json.object("body").orElse(JsonObject.EMPTY);
    JsonObject details = json.object("details").orElse(JsonObject.EMPTY);
    Activity activity = activity(record, body);
    JsonObject.Builder event =
        JsonObject.builder()
            .put("activity_id", activity.id())
            .put("activity_name", activity.name())
            .put("category_uid", activity.kind().category)
            .put("class_uid", activity.kind().uid())
            .put("type_uid", activity.kind().uid() * (long) ACTIVITY_FACTOR + activity.id())
            .put("time", record.at().toEpochMilli())
            .put("metadata", metadata(stored, details))
            .put("message", message(record));
    outcome(event, record);
    String caller = details.string("caller").orElse("unknown");
    JsonObject actor = user(caller);
    switch (activity.kind()) {
      case API_ACTIVITY -> apiActivity(event, record, details, activity, actor);
      case AUTHENTICATION ->
          event
              .put("user", user(body.string("account_id").orElse(caller)))
              .put("service", JsonObject.builder().put("name", "Safeconduct"));
      case ENTITY_MANAGEMENT ->
          event
              .put("actor", JsonObject.builder().put("user", actor))
              .put(
                  "entity",
                  JsonObject.builder()
                      .put("type", activity.entity())
                      .put("uid", entity(record, body)));
    }
    return event.put("unmapped", json).build();
  }

  private static void apiActivity(
      JsonObject.Builder event,
      AuditRecord record,
      JsonObject details,
      Activity activity,
      JsonObject caller) {
    String agent = record.agent().map(id -> id.value()).orElse("");
    event
        .put("actor", JsonObject.builder().put("user", agent.isEmpty() ? caller : user(agent)))
        .put(
            "api",
            JsonObject.builder()
                .put("operation", record.policyId().orElse(activity.name()))
                .put("service", JsonObject.builder().put("name", "Safeconduct")))
        .put(
            "src_endpoint",
            details
                .string("address")
                .filter(address -> !address.isEmpty())
                .map(address -> JsonObject.builder().put("ip", address).build())
                .orElseGet(() -> JsonObject.builder().put("name", "unknown").build()));
    if (!agent.isEmpty()) {
      event.put(
          "resources",
          new JsonArray(
              List.<JsonValue>of(
                  JsonObject.builder().put("type", "passport").put("uid", agent).build())));
    }
  }

  /** Severity (1 informational, 2 low, 3 medium), status, and what the control did. */
  private static void outcome(JsonObject.Builder event, AuditRecord record) {
    boolean denied = !record.allow().orElse(true);
    event.put(
        "severity_id",
        switch (record.kind()) {
          case ERASURE -> 3;
          case DECISION -> denied ? 2 : 1;
          case HOOK_CALL, RESERVATION_COMMITTED, RESERVATION_RELEASED, LOGIN -> 1;
          default -> 2;
        });
    // A decision that was made is a success, whatever it says; action_id is what it says.
    event.put("status_id", 1);
    record
        .allow()
        .ifPresent(
            allow -> event.put("action_id", allow ? 1 : 2).put("disposition_id", allow ? 1 : 2));
    record.code().ifPresent(code -> event.put("status_code", code));
    record
        .policyId()
        .ifPresent(policy ->
            event.put("policy", JsonObject.builder().put("uid", policy).put("name", policy)));
  }

  private static JsonObject metadata(StoredRecord stored, JsonObject details) {
    AuditRecord record = stored.entry();
    JsonObject.Builder metadata =
        JsonObject.builder()
            .put("version", VERSION)
            .put("product", PRODUCT)
            .put("uid", record.id().toString())
            .put("sequence", stored.logIndex())
            .put("event_code", record.kind().wire())
            .put("log_name", "audit")
            .put("tenant_uid", record.org().value());
    details.string("request_id").ifPresent(id -> metadata.put("correlation_uid", id));
    if (record.allow().isPresent()) {
      metadata.put("profiles", JsonArray.ofStrings(List.of("security_control")));
    }
    return metadata.build();
  }

  private static String message(AuditRecord record) {
    return record
        .allow()
        .map(allow ->
            (allow ? "allowed " : "denied ")
                + record.policyId().orElse("")
                + record.code().map(code -> " (" + code + ")").orElse(""))
        .orElseGet(() -> record.kind().wire().replace('_', ' '));
  }

  private static JsonObject user(String uid) {
    return JsonObject.builder().put("uid", uid).build();
  }

  private static String entity(AuditRecord record, JsonObject body) {
    for (String name : List.of("key_id", "webhook_id", "policy_id", "kid", "account_id")) {
      if (body.string(name).isPresent()) {
        return body.string(name).get();
      }
    }
    return record.agent().map(agent -> agent.value()).orElse(record.org().value());
  }

  private static Activity activity(AuditRecord record, JsonObject body) {
    return switch (record.kind()) {
      case DECISION -> new Activity(Kind.API_ACTIVITY, OTHER, "Authorize", "");
      case HOOK_CALL -> new Activity(Kind.API_ACTIVITY, OTHER, "Report", "");
      case RESERVATION_COMMITTED -> new Activity(Kind.API_ACTIVITY, 3, "Update", "");
      case RESERVATION_RELEASED -> new Activity(Kind.API_ACTIVITY, 4, "Delete", "");
      case APPROVAL_ANSWERED -> new Activity(Kind.API_ACTIVITY, OTHER, "Approve", "");
      case LOGIN ->
          body.string("change").filter("signed_out"::equals).isPresent()
              ? new Activity(Kind.AUTHENTICATION, 2, "Logoff", "")
              : new Activity(Kind.AUTHENTICATION, 1, "Logon", "");
      case PASSPORT_ISSUED -> new Activity(Kind.ENTITY_MANAGEMENT, 1, "Create", "passport");
      case PASSPORT_UPDATED, PASSPORT_CLAIMED, STATUS_CHANGE ->
          new Activity(Kind.ENTITY_MANAGEMENT, 3, "Update", "passport");
      case KEY_CREATED -> new Activity(Kind.ENTITY_MANAGEMENT, 1, "Create", "api_key");
      case KEY_UPDATED, KEY_ROTATED -> new Activity(Kind.ENTITY_MANAGEMENT, 3, "Update", "api_key");
      case KEY_REVOKED -> new Activity(Kind.ENTITY_MANAGEMENT, 4, "Delete", "api_key");
      case WEBHOOK_CHANGED -> new Activity(Kind.ENTITY_MANAGEMENT, 3, "Update", "webhook");
      case POLICY_CHANGED -> new Activity(Kind.ENTITY_MANAGEMENT, 3, "Update", "policy");
      case CONFIG -> new Activity(Kind.ENTITY_MANAGEMENT, 3, "Update", "configuration");
      case ERASURE -> new Activity(Kind.ENTITY_MANAGEMENT, 4, "Delete", "audit_records");
    };
  }
}
