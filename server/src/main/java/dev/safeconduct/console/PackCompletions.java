package dev.safeconduct.console;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the policy editor completes: the members of a pack by its schema in the API's description,
 * and the values that built-in packs use.
 */
final class PackCompletions {
  private static final String REF = "#/components/schemas/";

  private PackCompletions() {}

  /**
   * Returns the completions as JSON for the page.
   *
   * @param contract the API's description
   */
  static String of(JsonObject contract, Collection<PolicyPack> packs) {
    JsonObject all = member(member(contract, "components"), "schemas");
    JsonObject.Builder schemas = JsonObject.builder();
    collect(all, "PolicyPack", schemas, new HashSet<>());
    JsonArray capabilities = sorted(packs.stream().flatMap(pack -> pack.capabilities().stream()));
    JsonObject values =
        JsonObject.builder()
            .put("requires_capabilities", capabilities)
            .put("limits_containers", capabilities)
            .put("validator", sorted(ofRules(packs, "validator")))
            .put("deny_code", sorted(ofRules(packs, "deny_code")))
            .build();
    return JsonObject.builder()
        .put("schemas", schemas.build())
        .put("values", values)
        .build()
        .toString();
  }

  private static Stream<String> ofRules(Collection<PolicyPack> packs, String member) {
    return packs.stream()
        .flatMap(pack -> pack.document().objects("evaluation_rules").stream())
        .flatMap(rule -> rule.string(member).stream());
  }

  private static JsonArray sorted(Stream<String> names) {
    return JsonArray.ofStrings(names.collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Adds a schema and those it refers to. */
  private static void collect(
      JsonObject all, String name, JsonObject.Builder into, Set<String> seen) {
    if (seen.add(name)) {
      JsonObject schema = member(all, name);
      into.put(name, schema);
      refs(schema, ref -> collect(all, ref, into, seen));
    }
  }

  private static void refs(JsonValue value, Consumer<String> found) {
    if (value instanceof JsonObject object) {
      object
          .string("$ref")
          .filter(ref -> ref.startsWith(REF))
          .ifPresent(ref -> found.accept(ref.substring(REF.length())));
      object.forEach((_, part) -> refs(part, found));
    } else if (value instanceof JsonArray array) {
      array.forEach(part -> refs(part, found));
    }
  }

  private static JsonObject member(JsonObject from, String name) {
    return from.get(name) instanceof JsonObject object ? object : JsonObject.EMPTY;
  }
}
