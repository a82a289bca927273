package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.policy.schema.ContextSchema;
import dev.safeconduct.policy.schema.StringFormats;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Parses a pack's JSON into a {@link PolicyPack}, or reports all its faults. */
public final class PackReader {
  private final Set<String> validators;
  private final StringFormats formats;
  private final Check check;

  /** Finds the faults of a pack that compiles. */
  @FunctionalInterface
  public interface Check {
    /** Checks the pack; {@code sources} are its expressions in order. */
    void run(
        JsonObject document,
        List<Sources.Source> sources,
        List<Rule> rules,
        Consumer<PolicyFault> faults);
  }

  /**
   * Creates a reader for the validators and formats of this engine.
   *
   * @param validators the names that rules may refer to
   * @param formats the formats that context schemas may use
   * @param check the check that {@link #read} runs after compiling
   */
  public PackReader(Set<String> validators, StringFormats formats, Check check) {
    this.validators = Set.copyOf(validators);
    this.formats = formats;
    this.check = check;
  }

  /**
   * Compiles the pack and runs the check on it.
   *
   * @throws PackFault with every fault, each with its rule and column
   */
  public PolicyPack read(JsonObject document) throws PackFault {
    return read(document, check);
  }

  /**
   * Compiles a pack that {@link #read} has accepted before, possibly in an older version.
   *
   * @throws PackFault if the pack is unusable
   */
  public PolicyPack compile(JsonObject document) throws PackFault {
    return read(document, (_, _, _, _) -> {});
  }

  private PolicyPack read(JsonObject document, Check check) throws PackFault {
    var faults = new ArrayList<PolicyFault>();
    Optional<PolicyId> id =
        document.string("id").or(() -> document.string("policy_id")).flatMap(PolicyId::parse);
    if (id.isEmpty()) {
      faults.add(PolicyFault.at("id", "must be 1 to 128 of A-Za-z0-9._-"));
    }
    if (document.has("id")
        && document.has("policy_id")
        && !document.string("policy_id").equals(document.string("id"))) {
      faults.add(PolicyFault.at("policy_id", "must be the same as id, or left out"));
    }
    List<String> capabilities = texts(document, "requires_capabilities", faults);
    if (capabilities.isEmpty() || capabilities.contains("")) {
      faults.add(PolicyFault.at("requires_capabilities", "must name at least one capability"));
    }
    List<String> containers =
        document.has("limits_containers")
            ? texts(document, "limits_containers", faults)
            : usualContainers(id, capabilities);
    AssuranceLevel level = level(document, faults);
    ContextSchema schema =
        ContextSchema.read(object(document, "required_context", faults), formats, faults::add);
    var sources = new Sources(faults::add);
    RuleReader rules = new RuleReader(validators, sources, faults::add);
    List<PolicyPack.Demand> demands = rules.demands(document);
    List<Rule> read = rules.rules(document);
    PerValue perValue = perValue(document, schema, faults);
    Optional<AccessModel> model = AccessModel.read(document, faults::add);
    List<Obligation> obligations = Obligation.read(document, faults::add);
    boolean mcpEnforced =
        flag(object(document, "mcp", faults), "mcp.", "require_allowlisted_if_present", faults);
    boolean approvalGate = flag(document, "", "approval_gate", faults);
    check.run(document, sources.all(), read, faults::add);
    if (!faults.isEmpty() || id.isEmpty()) {
      throw new PackFault(faults);
    }
    return new PolicyPack(
        id.get(),
        document.string("name").orElse(id.get().value()),
        document.string("version").orElse("1.0.0"),
        capabilities,
        level,
        containers,
        perValue,
        schema,
        demands,
        read,
        model,
        obligations,
        mcpEnforced,
        approvalGate,
        cacheSeconds(document),
        read.stream().anyMatch(Rule::counts),
        document,
        CanonicalJson.digest(document),
        PolicyPack.size(document, schema));
  }

  /** Returns the default containers: the pack's id without its version, then the capabilities. */
  private static List<String> usualContainers(Optional<PolicyId> id, List<String> capabilities) {
    var containers = new ArrayList<String>();
    id.ifPresent(known -> containers.add(known.value().replaceFirst("\\.v[0-9]+$", "")));
    containers.addAll(capabilities);
    return containers;
  }

  private static Set<String> declaredLimits(JsonObject document) {
    var names = new HashSet<String>();
    names.add("disable_default_blocks");
    names.add("require_assurance_at_least");
    names.add("approval_required");
    document
        .object("limits")
        .ifPresent(limits ->
            limits.forEach((name, value) -> {
              names.add(name);
              if (value instanceof JsonObject limit) {
                limit.array("aliases").ifPresent(aliases -> aliases.strings().forEach(names::add));
              }
            }));
    return names;
  }

  private static PerValue perValue(
      JsonObject document, ContextSchema schema, List<PolicyFault> faults) {
    var fields = new LinkedHashMap<String, String>();
    object(document, "limits", faults)
        .forEach((name, value) -> {
          if (!(value instanceof JsonObject limit) || !limit.has("per")) {
            return;
          }
          String place = "limits." + name + ".per";
          Optional<String> field = limit.string("per");
          if (field.isEmpty()) {
            faults.add(PolicyFault.at(place, "must name a field of the context"));
          }
          field.ifPresent(given -> {
            if (!schema.declares(given)) {
              PolicyFault fault =
                  PolicyFault.at(place, "the pack's context has no field \"" + given + "\"");
              faults.add(Spelling.suggest(fault, given, schema.fields()));
            }
            fields.put(name, given);
          });
        });
    Set<String> names = declaredLimits(document);
    names.remove("disable_default_blocks"); // a flag of every pack, but the name of no limit
    return new PerValue(fields, names);
  }

  private static AssuranceLevel level(JsonObject document, List<PolicyFault> faults) {
    Optional<String> text = document.string("min_assurance");
    Optional<AssuranceLevel> level =
        document.has("min_assurance")
            ? text.flatMap(AssuranceLevel::parse)
            : Optional.of(AssuranceLevel.L0);
    if (level.isEmpty()) {
      PolicyFault fault =
          PolicyFault.at("min_assurance", "must be one of L0, L1, L2, L3, L4KYC, L4FIN");
      faults.add(
          text.flatMap(wrong ->
                  Spelling.nearest(wrong, List.of("L0", "L1", "L2", "L3", "L4KYC", "L4FIN")))
              .map(fault::suggesting)
              .orElse(fault));
    }
    return level.orElse(AssuranceLevel.L4FIN);
  }

  private static int cacheSeconds(JsonObject document) {
    JsonValue seconds =
        document.object("cache").map(cache -> cache.get("default_ttl_seconds")).orElse(null);
    return seconds instanceof JsonNumber number ? (int) Math.clamp(number.value(), 0, 86400) : 0;
  }

  private static JsonObject object(JsonObject document, String name, List<PolicyFault> faults) {
    JsonValue value = document.get(name);
    if (value != null && !(value instanceof JsonObject)) {
      faults.add(PolicyFault.at(name, "must be an object"));
    }
    return value instanceof JsonObject object ? object : JsonObject.EMPTY;
  }

  private static boolean flag(
      JsonObject from, String above, String name, List<PolicyFault> faults) {
    JsonValue value = from.get(name);
    if (value != null && !(value instanceof JsonBoolean)) {
      faults.add(PolicyFault.at(above + name, "must be true or false"));
    }
    return value == JsonBoolean.TRUE;
  }

  private static List<String> texts(JsonObject document, String name, List<PolicyFault> faults) {
    JsonValue value = document.get(name);
    if (value == null) {
      return List.of();
    }
    Optional<List<String>> list =
        document
            .array(name)
            .filter(array -> array.strings().count() == array.size())
            .map(array -> array.strings().toList());
    if (list.isEmpty()) {
      faults.add(PolicyFault.at(name, "must be an array of strings"));
    }
    return list.orElse(List.of());
  }
}
