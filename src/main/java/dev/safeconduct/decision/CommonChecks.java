package dev.safeconduct.decision;

import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Timestamp;
import dev.safeconduct.passport.AssuranceLevel;
import dev.safeconduct.text.Excerpt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The checks every pack begins and ends with; each answers the reason to deny, or Java null. */
final class CommonChecks {
  /** The context fields that {@link #mcp} looks at. */
  static final List<String> COMPANIONS =
      List.of("mcp_servers", "mcp_server", "mcp_tools", "mcp_tool");

  /** The context field that {@link #region} looks at. */
  static final List<String> REGION = List.of("region");

  private CommonChecks() {}

  /** S1. */
  static @Nullable Reason status(JsonObject passport, boolean templateActive) {
    if (!passport.string("status").equals(Optional.of("active"))) {
      return reason(
          "oap.passport_suspended",
          "The passport is "
              + passport.string("status").map(CommonChecks::known).orElse("without a status")
              + "; only an active passport is allowed to act.");
    }
    if (!templateActive) {
      return reason("oap.passport_suspended", "The template of this passport is not active.");
    }
    return null;
  }

  private static String known(String status) {
    return switch (status) {
      case "draft", "suspended", "revoked" -> status;
      default -> "of an unknown status";
    };
  }

  /** S2. */
  static @Nullable Reason expiry(JsonObject passport, Instant now) {
    JsonValue expires = passport.present("expires_at");
    if (expires == null || passport.isTrue("never_expires")) {
      return null;
    }
    String text = expires instanceof JsonString(String value) ? value : "";
    Optional<Instant> end = Timestamp.parse(text);
    if (end.isEmpty()) {
      return reason(
          "oap.passport_expired",
          "The passport's expires_at is not a date-time, so it is expired.");
    }
    return end.get().isAfter(now)
        ? null
        : reason("oap.passport_expired", "The passport expired at " + text + ".");
  }

  /** S4. */
  static @Nullable Reason assurance(JsonObject passport, Limits limits, AssuranceLevel minimum) {
    JsonValue stated = passport.present("assurance_level");
    Optional<AssuranceLevel> level =
        stated == null ? Optional.of(AssuranceLevel.L0) : level(stated);
    JsonValue demanded = limits.get("require_assurance_at_least");
    Optional<AssuranceLevel> owner = demanded == null ? Optional.of(minimum) : level(demanded);
    if (level.isEmpty()) {
      return reason("oap.assurance_insufficient", "The passport's assurance level is not known.");
    }
    if (owner.isEmpty()) {
      return reason(
          "oap.assurance_insufficient", "The limit require_assurance_at_least is not a level.");
    }
    AssuranceLevel needed = owner.get().compareTo(minimum) > 0 ? owner.get() : minimum;
    return level.get().compareTo(needed) >= 0
        ? null
        : reason(
            "oap.assurance_insufficient",
            "Assurance level "
                + needed.wire()
                + " is needed; the passport has "
                + level.get().wire()
                + ".");
  }

  private static Optional<AssuranceLevel> level(JsonValue value) {
    return value instanceof JsonString text ? AssuranceLevel.parse(text.value()) : Optional.empty();
  }

  /** S6. */
  static @Nullable Reason mcp(JsonObject passport, JsonObject context) {
    JsonObject mcp = passport.object("mcp").orElse(JsonObject.EMPTY);
    for (String server : companions(context, "mcp_servers", "mcp_server")) {
      if (!listed(mcp, "servers", server)) {
        return reason(
            "oap.server_not_allowed",
            "The MCP server " + Excerpt.of(server) + " is not on the passport.");
      }
    }
    for (String tool : companions(context, "mcp_tools", "mcp_tool")) {
      if (!listed(mcp, "tools", tool)) {
        return reason(
            "oap.tool_not_allowed",
            "The MCP tool " + Excerpt.of(tool) + " is not on the passport.");
      }
    }
    return null;
  }

  private static List<String> companions(JsonObject context, String list, String single) {
    if (!context.has(list) && !context.has(single)) {
      return List.of();
    }
    var values = new ArrayList<>(context.array(list).orElse(JsonArray.EMPTY).strings().toList());
    context.string(single).ifPresent(values::add);
    return values;
  }

  private static boolean listed(JsonObject mcp, String list, String value) {
    return mcp.array(list)
        .orElse(JsonArray.EMPTY)
        .strings()
        .anyMatch(entry -> entry.equals("*") || (!entry.isEmpty() && entry.equals(value)));
  }

  /** T1. */
  static @Nullable Reason region(JsonObject passport, JsonObject context) {
    Optional<String> region = context.string("region");
    if (region.isEmpty() || Regions.cover(passport, region.get())) {
      return null;
    }
    return reason(
        "oap.region_blocked",
        "The region " + Excerpt.of(region.get()) + " is not on the passport.");
  }

  /** T2. */
  static @Nullable Reason approval(Limits limits) {
    JsonValue flag = limits.get("approval_required");
    return flag == null || flag == JsonBoolean.FALSE
        ? null
        : reason("oap.approval_required", "The owner wants a human to approve this first.");
  }

  static Reason reason(String code, String message) {
    return new Reason(code, message, Optional.empty());
  }
}
