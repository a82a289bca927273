package dev.safeconduct.testkit;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialects;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The published contract, {@code /api/openapi.json}, and what it says of answers. */
public final class OpenApi {
  private static final String ID = "urn:safeconduct:openapi";

  private final JsonObject document;
  private final SchemaRegistry schemas;

  private OpenApi(String text) throws JsonFault {
    this.document = (JsonObject) Json.parse(text);
    this.schemas =
        SchemaRegistry.withDefaultDialect(
            Dialects.getDraft202012(),
            builder ->
                builder
                    .schemas(Map.of(ID, text))
                    .schemaRegistryConfig(
                        SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build()));
  }

  /** The contract as the service carries it. */
  public static OpenApi published() {
    try (InputStream in =
        Objects.requireNonNull(OpenApi.class.getResourceAsStream("/api/openapi.json"))) {
      return new OpenApi(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonFault e) {
      throw new AssertionError("openapi.json is not JSON", e);
    }
  }

  public JsonObject document() {
    return document;
  }

  /**
   * One method on one path.
   *
   * @param pointer where it stands in the document (RFC 6901)
   */
  public record Operation(String method, String path, JsonObject json, String pointer) {
    public String id() {
      return json.string("operationId").orElse(method + " " + path);
    }

    /** Who may call it, as {@code x-scope} spells it. */
    public String scope() {
      return json.string("x-scope").orElse("");
    }
  }

  /** All operations, in the document's order. */
  public List<Operation> operations() {
    var operations = new ArrayList<Operation>();
    member(document, "paths")
        .forEach((path, item) ->
            ((JsonObject) item)
                .forEach((method, operation) ->
                    operations.add(
                        new Operation(
                            method.toUpperCase(Locale.ROOT),
                            path,
                            (JsonObject) operation,
                            "#/paths/" + escaped(path) + "/" + method))));
    return operations;
  }

  /** What of the answer is not as the operation declares it; nothing when all is well. */
  public List<String> faults(Operation operation, Reply reply) {
    String status = Integer.toString(reply.status());
    String pointer =
        member(operation.json(), "responses").has(status)
            ? operation.pointer() + "/responses/" + status
            : "#/components/responses/MethodNotAllowed";
    if (!pointer.startsWith(operation.pointer()) && reply.status() != 405) {
      return List.of("the status " + status + " is not declared");
    }
    JsonObject declared = (JsonObject) at(pointer).orElseThrow();
    while (declared.string("$ref").isPresent()) {
      pointer = declared.string("$ref").get();
      declared = (JsonObject) at(pointer).orElseThrow();
    }
    var faults = new ArrayList<String>();
    declared
        .object("headers")
        .orElse(JsonObject.EMPTY)
        .forEach((name, header) -> {
          JsonObject meant =
              (JsonObject) at(((JsonObject) header).string("$ref").orElseThrow()).orElseThrow();
          if (meant.isTrue("required") && reply.header(name).isEmpty()) {
            faults.add("the header " + name + " is missing");
          }
        });
    Optional<JsonObject> content = declared.object("content");
    if (content.isPresent()) {
      faults.addAll(contentFaults(pointer, content.get(), reply));
    }
    return faults;
  }

  private List<String> contentFaults(String pointer, JsonObject content, Reply reply) {
    String type = reply.header("Content-Type").orElse("");
    if (!content.has(type)) {
      return List.of("the content type is " + type);
    }
    return type.matches("application/(?:[a-z]+\\+)?json")
        ? faults(pointer + "/content/" + type.replace("/", "~1") + "/schema", reply.text(), true)
        : List.of();
  }

  /**
   * What of the JSON text does not fit the schema.
   *
   * @param pointer where the schema stands in the document
   * @param closed whether top-level members that the schema does not name are faults too
   */
  public List<String> faults(String pointer, String json, boolean closed) {
    Schema schema =
        schemas.getSchema(
            "{\"$ref\": \""
                + ID
                + pointer
                + "\""
                + (closed ? ", \"unevaluatedProperties\": false}" : "}"));
    return schema.validate(json, InputFormat.JSON).stream().map(Object::toString).toList();
  }

  /** The value a pointer ({@code #/a/b}) names. */
  public Optional<JsonValue> at(String pointer) {
    JsonValue value = document;
    for (String step : pointer.substring(2).split("/", -1)) {
      String name = step.replace("~1", "/").replace("~0", "~");
      if (!(value instanceof JsonObject object) || !object.has(name)) {
        return Optional.empty();
      }
      value = Objects.requireNonNull(object.get(name));
    }
    return Optional.of(value);
  }

  private static JsonObject member(JsonObject object, String name) {
    return object.object(name).orElseThrow(() -> new AssertionError("no " + name));
  }

  /** One step of a pointer, fit for a URI's fragment. */
  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }
}
