package dev.safeconduct.policy;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.policy.schema.ContextSchema;
import java.util.List;
import java.util.Optional;

/**
 * A fully checked policy pack that requests can be evaluated against.
 *
 * @param capabilities the capabilities (or aliases) that permit the pack; one is enough
 * @param containers the keys under which a passport has its limits for this pack, in order
 * @param perValue the limits that may be set separately for each value of a context field
 * @param conditions further conditions on the context, each with its failure message
 * @param model the subjects, actions and resources it lists for AuthZEN callers, if any
 * @param obligations what callers must do besides, by decision
 * @param mcpEnforced whether the MCP companion fields are checked against the passport
 * @param approvalGate whether the owner may require a human's approval
 * @param cacheSeconds how long an allow may be cached, before the service's own limit
 * @param stateful whether any rule counts
 * @param document the pack as published; empty where only evaluation needs the pack
 * @param digest {@code sha256:} and 64 hex digits over the RFC 8785 form of the document
 * @param size about how many bytes it takes in memory
 */
public record PolicyPack(
    PolicyId id,
    String name,
    String version,
    List<String> capabilities,
    AssuranceLevel minAssurance,
    List<String> containers,
    PerValue perValue,
    ContextSchema contextSchema,
    List<Demand> conditions,
    List<Rule> rules,
    Optional<AccessModel> model,
    List<Obligation> obligations,
    boolean mcpEnforced,
    boolean approvalGate,
    int cacheSeconds,
    boolean stateful,
    JsonObject document,
    String digest,
    int size) {
  /** The bytes in memory for each of the document, measured with rules and with schemas. */
  private static final int COMPILED = 8;

  public PolicyPack {
    capabilities = List.copyOf(capabilities);
    containers = List.copyOf(containers);
    conditions = List.copyOf(conditions);
    rules = List.copyOf(rules);
    obligations = List.copyOf(obligations);
  }

  /** Returns a pack that does not compile: it cannot be evaluated, but a decision can name it. */
  public static PolicyPack unusable(PolicyId id, JsonObject document) {
    return new PolicyPack(
        id,
        document.string("name").orElse(id.value()),
        document.string("version").orElse("1.0.0"),
        document.array("requires_capabilities").map(JsonArray::texts).orElse(List.of()),
        AssuranceLevel.L4FIN,
        List.of(),
        PerValue.NONE,
        ContextSchema.NONE,
        List.of(),
        List.of(),
        AccessModel.read(document, _ -> {}),
        List.of(),
        false,
        false,
        0,
        false,
        document,
        CanonicalJson.digest(document),
        size(document, ContextSchema.NONE));
  }

  static int size(JsonObject document, ContextSchema schema) {
    long bytes = (long) COMPILED * Json.bytes(document).length + schema.patternBytes();
    return Math.toIntExact(Math.min(bytes, 1 << 30));
  }

  /**
   * Returns the pack without its document, for callers that only evaluate it and cache many packs.
   */
  public PolicyPack withoutDocument() {
    return new PolicyPack(
        id,
        name,
        version,
        capabilities,
        minAssurance,
        containers,
        perValue,
        contextSchema,
        conditions,
        rules,
        model,
        obligations,
        mcpEnforced,
        approvalGate,
        cacheSeconds,
        stateful,
        JsonObject.EMPTY,
        digest,
        size);
  }

  /** A condition on the context that its schema cannot express. */
  public record Demand(Expression condition, String message) {}
}
