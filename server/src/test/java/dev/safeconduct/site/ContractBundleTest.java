package dev.safeconduct.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of the OpenAPI document, and the document that is made of them. */
final class ContractBundleTest {
  private static final Path PARTS = Path.of("api/openapi");

  @TempDir Path folder;

  @Test
  void theProgramCarriesTheDocumentOfTheseParts() throws Exception {
    assertThat(Json.parseObject(Published.bytes("openapi.json")))
        .as("the bundle in the classes folder; build again if a part has changed")
        .isEqualTo(ContractBundle.of(PARTS));
  }

  @Test
  void anOperationIsInTheFileOfItsTag() throws Exception {
    for (Path part : parts()) {
      String tag = part.getFileName().toString().replace(".json", "");
      Json.parseObject(Files.readAllBytes(part))
          .object("paths")
          .orElse(JsonObject.EMPTY)
          .forEach((path, methods) ->
              ((JsonObject) methods)
                  .forEach((method, operation) ->
                      assertThat(((JsonObject) operation).array("tags").orElse(JsonArray.EMPTY))
                          .as("%s %s in %s", method, path, part)
                          .containsExactly(new JsonString(tag))));
    }
  }

  @Test
  void partsOfPartsAreMerged() throws Exception {
    write("openapi.json", "{'openapi':'3.1.0','paths':{}}");
    write("b.json", "{'paths':{'/b':{'get':{}}},'components':{'schemas':{'B':{}}}}");
    write("a.json", "{'paths':{'/a':{'get':{}}},'components':{'schemas':{'A':{}}}}");
    assertThat(Json.text(ContractBundle.of(folder)))
        .isEqualTo(
            "{'openapi':'3.1.0','paths':{'/a':{'get':{}},'/b':{'get':{}}},".replace('\'', '"')
                + "'components':{'schemas':{'A':{},'B':{}}}}".replace('\'', '"'));
  }

  @Test
  void aPartThatIsInTwoFilesIsRefused() throws Exception {
    write("openapi.json", "{'paths':{'/a':{'get':{'operationId':'one'}}}}");
    write("a.json", "{'paths':{'/a':{'get':{'operationId':'two'}}}}");
    assertThatThrownBy(() -> ContractBundle.of(folder))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a.json paths /a get operationId is in another file too.");
  }

  @Test
  void aPartThatIsNotJsonIsNamed() throws Exception {
    write("openapi.json", "{}");
    write("a.json", "{'paths':");
    assertThatThrownBy(() -> ContractBundle.of(folder))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a.json is not a JSON object: ");
  }

  private void write(String name, String json) throws IOException {
    Files.writeString(folder.resolve(name), json.replace('\'', '"'));
  }

  private static List<Path> parts() throws IOException {
    try (Stream<Path> files = Files.list(PARTS)) {
      return files.toList();
    }
  }
}
