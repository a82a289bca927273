package dev.safeconduct.passport;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The parts of an issue request other than the passport's content.
 *
 * @param agentId the imported agent id
 * @param passportId the imported passport UUID
 * @param parentAgentId the template of an imported instance
 * @param warnings warnings for the owner
 */
public record Issuance(
    Optional<AgentId> agentId,
    Optional<UUID> passportId,
    Optional<String> parentAgentId,
    String ownerType,
    PassportStatus status,
    AssuranceLevel level,
    String version,
    List<String> warnings) {

  /**
   * Reads the request body.
   *
   * @param operator whether the request uses the admin credential; only it may set ids and a level
   */
  public static Issuance read(JsonObject body, boolean operator) {
    Members members = Members.of(body);
    var warnings = new ArrayList<String>();
    Optional<AgentId> agentId = members.text("agent_id").map(text -> agentId(members, text));
    if (!operator && agentId.isPresent()) {
      throw ProblemException.forbidden(
          "Only the admin credential may choose an agent_id; leave it out to get a new one.");
    }
    return new Issuance(
        agentId,
        operator
            ? members
                .text("passport_id")
                // Some exports repeat the agent's id here.
                .filter(text -> agentId.filter(agent -> agent.value().equals(text)).isEmpty())
                .map(text -> uuid(members, text))
            : Optional.empty(),
        parent(members, operator),
        ownerType(members),
        status(members),
        level(members, operator, warnings),
        version(members),
        warnings);
  }

  private static AgentId agentId(Members members, String text) {
    return AgentId.hosted(text)
        .orElseThrow(() ->
            members.fault("agent_id", "agent_id must be 1 to 128 of the characters A-Za-z0-9_-."));
  }

  private static UUID uuid(Members members, String text) {
    try {
      UUID id = UUID.fromString(text);
      if (id.toString().equalsIgnoreCase(text)) {
        return id;
      }
    } catch (IllegalArgumentException e) {
      // Fall through to the error below, as for a UUID in short form.
    }
    throw members.fault("passport_id", "passport_id must be a UUID or the agent_id.");
  }

  private static Optional<String> parent(Members members, boolean operator) {
    String kind = members.text("kind").orElse("template");
    if (kind.equals("template")) {
      return Optional.empty();
    }
    if (!kind.equals("instance")) {
      throw members.fault("kind", "kind must be template or instance.");
    }
    if (!operator) {
      throw members.fault(
          "kind",
          "An instance is made of its template, by POST /api/passports/{agent_id}/instances.");
    }
    String parent =
        members
            .text("parent_agent_id")
            .or(() -> members.text("template_id"))
            .orElseThrow(() -> members.missing("parent_agent_id"));
    return Optional.of(agentId(members, parent).value());
  }

  private static String ownerType(Members members) {
    String type = members.text("owner_type").orElse("org");
    if (type.equals("org") || type.equals("user")) {
      return type;
    }
    throw members.fault("owner_type", "owner_type must be org or user.");
  }

  private static PassportStatus status(Members members) {
    return members
        .text("status")
        .map(text ->
            PassportStatus.parse(text)
                .filter(s -> s == PassportStatus.ACTIVE || s == PassportStatus.DRAFT)
                .orElseThrow(
                    () -> members.fault("status", "A new passport's status is active or draft.")))
        .orElse(PassportStatus.ACTIVE);
  }

  private static AssuranceLevel level(Members members, boolean operator, List<String> warnings) {
    Optional<AssuranceLevel> asked = StatusBody.assuranceLevel(members);
    if (operator || asked.isEmpty()) {
      return asked.orElse(AssuranceLevel.L0);
    }
    if (asked.get() != AssuranceLevel.L0) {
      warnings.add("assurance_level is not taken from the request; a new passport has L0.");
    }
    return AssuranceLevel.L0;
  }

  private static String version(Members members) {
    String version = members.text("version").orElse("1.0.0");
    if (PassportDocument.isVersion(version)) {
      return version;
    }
    throw members.fault("version", "version must have the form 1.0.0.");
  }
}
