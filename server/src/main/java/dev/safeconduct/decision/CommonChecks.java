package dev.safeconduct.decision;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.text.Excerpt;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The checks before and after the rules of every pack. Each returns a deny reason or Java null. */
final class CommonChecks {
  private static final Optional<String> ACTIVE = Optional.of("active");

  private CommonChecks() {}

  /** S1. */
  static @Nullable Reason status(JudgedPassport passport, boolean templateActive) {
    if (!passport.status().equals(ACTIVE)) {
      return Reason.of(
          ReasonCode.PASSPORT_SUSPENDED,
          "The passport is "
              + passport.status().map(CommonChecks::known).orElse("without a status")
              + "; only an active passport is allowed to act.");
    }
    if (!templateActive) {
      return Reason.of(
          ReasonCode.PASSPORT_SUSPENDED, "The template of this passport is not active.");
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
  static @Nullable Reason expiry(JudgedPassport passport, Instant now) {
    return switch (passport.expiry()) {
      case JudgedPassport.Expiry.Never _ -> null;
      case JudgedPassport.Expiry.Malformed _ ->
          Reason.of(
              ReasonCode.PASSPORT_EXPIRED,
              "The passport's expires_at is not a date-time, so it is expired.");
      case JudgedPassport.Expiry.At(Instant _, String text) ->
          passport.expiry().isOver(now)
              ? Reason.of(ReasonCode.PASSPORT_EXPIRED, "The passport expired at " + text + ".")
              : null;
    };
  }

  /** S3. */
  static @Nullable Reason capability(Permissions permissions, PolicyPack pack) {
    return permissions.capabilities().holdsAny(pack.capabilities())
        ? null
        : Reason.of(
            ReasonCode.UNKNOWN_CAPABILITY,
            "The passport does not hold the capability "
                + String.join(" or ", pack.capabilities())
                + ".");
  }

  /** S4. */
  static @Nullable Reason assurance(
      Permissions permissions, Limits limits, AssuranceLevel minimum) {
    Optional<AssuranceLevel> level = permissions.level();
    JsonValue demanded = limits.get("require_assurance_at_least");
    Optional<AssuranceLevel> owner = demanded == null ? Optional.of(minimum) : level(demanded);
    if (level.isEmpty()) {
      return Reason.of(
          ReasonCode.ASSURANCE_INSUFFICIENT, "The passport's assurance level is not known.");
    }
    if (owner.isEmpty()) {
      return Reason.of(
          ReasonCode.ASSURANCE_INSUFFICIENT,
          "The limit require_assurance_at_least is not a level.");
    }
    AssuranceLevel needed = owner.get().compareTo(minimum) > 0 ? owner.get() : minimum;
    return level.get().compareTo(needed) >= 0
        ? null
        : Reason.of(
            ReasonCode.ASSURANCE_INSUFFICIENT,
            "Assurance level "
                + needed.wire()
                + " is needed; the passport has "
                + level.get().wire()
                + ". Only an operator can raise it, after verifying the owner.");
  }

  private static Optional<AssuranceLevel> level(JsonValue value) {
    return value instanceof JsonString text ? AssuranceLevel.parse(text.value()) : Optional.empty();
  }

  /** S6. */
  static @Nullable Reason mcp(Permissions permissions, JsonObject context) {
    Optional<String> server =
        unlisted(context, "mcp_servers", "mcp_server", permissions.mcp().servers());
    if (server.isPresent()) {
      return Reason.of(
          ReasonCode.SERVER_NOT_ALLOWED,
          "The MCP server " + Excerpt.of(server.get()) + " is not on the passport.");
    }
    return unlisted(context, "mcp_tools", "mcp_tool", permissions.mcp().tools())
        .map(tool ->
            Reason.of(
                ReasonCode.TOOL_NOT_ALLOWED,
                "The MCP tool " + Excerpt.of(tool) + " is not on the passport."))
        .orElse(null);
  }

  /** Returns the first companion of the action that is not listed. */
  private static Optional<String> unlisted(
      JsonObject context, String list, String single, List<String> listed) {
    if ((!context.has(list) && !context.has(single)) || listed.contains("*")) {
      return Optional.empty();
    }
    var known = new HashSet<String>(listed); // Both lists may be long.
    known.remove("");
    return Stream.concat(context.list(list).strings(), context.string(single).stream())
        .filter(value -> !known.contains(value))
        .findFirst();
  }

  /** T1. */
  static @Nullable Reason region(Permissions permissions, JsonObject context) {
    Optional<String> region = context.string("region");
    if (region.isEmpty() || permissions.covers(region.get())) {
      return null;
    }
    return Reason.of(
        ReasonCode.REGION_BLOCKED,
        "The region " + Excerpt.of(region.get()) + " is not on the passport.");
  }

  /** T2. */
  static @Nullable Reason approval(Limits limits) {
    JsonValue flag = limits.get("approval_required");
    return flag == null || flag == JsonBoolean.FALSE
        ? null
        : Reason.of(ReasonCode.APPROVAL_REQUIRED, "The owner wants a human to approve this first.");
  }
}
