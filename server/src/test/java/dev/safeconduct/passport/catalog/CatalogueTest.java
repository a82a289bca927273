package dev.safeconduct.passport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.CaseFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class CatalogueTest {
  private final Catalogue catalogue = Catalogue.builtIn();

  /** The built-in packs are the other place where limits are listed; the two must not drift. */
  @TestFactory
  Stream<DynamicTest> everyPacksLimitsAreKnownHere() throws IOException {
    try (Stream<Path> packs = Files.list(Path.of("policies"))) {
      return packs
          .map(folder -> folder.resolve("policy.json"))
          .filter(Files::exists)
          .sorted()
          .toList()
          .stream()
          .map(file -> DynamicTest.dynamicTest(file.toString(), () -> compare(file)));
    }
  }

  private void compare(Path file) throws Exception {
    JsonObject pack = Json.parseObject(Files.readAllBytes(file));
    for (String id : strings(pack, "requires_capabilities")) {
      assertThat(catalogue.capability(id)).as(id).isPresent();
    }
    for (String key : strings(pack, "limits_containers")) {
      LimitContainer container =
          catalogue.container(key).orElseThrow(() -> new AssertionError(key));
      JsonObject limits = pack.object("limits").orElseThrow();
      Set<String> ours = new TreeSet<>(container.fields().keySet());
      Set<String> theirs = new TreeSet<>();
      limits.forEach((name, value) -> {
        theirs.add(name);
        ((JsonObject) value)
            .array("aliases")
            .orElse(JsonArray.EMPTY)
            .strings()
            .forEach(theirs::add);
      });
      assertThat(ours).as(key).containsAll(theirs);
    }
  }

  @Test
  void everyCapabilityAndAliasIsFound() throws Exception {
    JsonObject expected = CaseFile.object("passport/known-ids.json");
    assertThat(catalogue.capabilityIds())
        .containsExactlyInAnyOrderElementsOf(strings(expected, "ids"));
    expected
        .object("aliases")
        .orElseThrow()
        .forEach((alias, id) ->
            assertThat(catalogue.capability(alias).map(KnownCapability::id))
                .as(alias)
                .contains(((dev.safeconduct.json.JsonString) id).value()));
  }

  @Test
  void everyContainerHoldsItsLimits() throws Exception {
    CaseFile.object("passport/known-ids.json")
        .object("limits")
        .orElseThrow()
        .forEach((key, names) ->
            assertThat(catalogue.container(key).orElseThrow().fields().keySet())
                .as(key)
                .containsAll(((JsonArray) names).strings().toList()));
  }

  @Test
  void theSchemaNamesEveryCapabilityOnceAndItsLimits() {
    JsonObject schema = CatalogueSchema.of(catalogue);
    List<String> ids =
        StreamSupport.stream(schema.array("capabilities").orElseThrow().spliterator(), false)
            .map(each -> ((JsonObject) each).string("id").orElseThrow())
            .toList();

    assertThat(ids).doesNotHaveDuplicates().containsAll(catalogue.capabilityIds());
    assertThat(strings(schema, "assurance_levels"))
        .containsExactly("L0", "L1", "L2", "L3", "L4KYC", "L4FIN");
    assertThat(strings(schema, "statuses"))
        .containsExactly("draft", "active", "suspended", "revoked");
    JsonObject read = schema.object("limits").orElseThrow().object("data.file.read").orElseThrow();
    assertThat(read.object("properties").orElseThrow().names()).contains("allowed_paths");
    assertThat(strings(read, "required")).containsExactly("allowed_paths");
  }

  /** What issuance writes by itself must pass our own check. */
  @Test
  void everyDefaultIsOfItsFieldsType() {
    for (KnownCapability capability : catalogue.capabilities()) {
      capability
          .container()
          .ifPresent(container ->
              container
                  .fields()
                  .forEach((name, field) -> {
                    JsonValue preset = field.preset().orElse(null);
                    if (preset != null) {
                      FieldCheck.check(name, field, preset);
                    }
                  }));
    }
  }

  private static List<String> strings(JsonObject object, String name) {
    return object.array(name).orElseThrow().strings().toList();
  }
}
