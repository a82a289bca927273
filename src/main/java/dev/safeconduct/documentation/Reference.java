package dev.safeconduct.documentation;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the OpenAPI contract into the pages of the reference. */
final class Reference {
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");
  private static final Map<String, String> ACCESS =
      Map.of(
          "none", "anybody",
          "optional", "anybody; a credential that is sent must be a good one",
          "read or anonymous", "scope read, or anybody where ANONYMOUS_VERIFY is on",
          "any credential", "any credential",
          "administrator", "an owner or admin of the organization, signed in; the admin token",
          "admin", "the admin token",
          "admin or unauthorized", "the admin token");

  private final JsonObject contract;
  private final Markdown markdown = new Markdown(Set.of());
  private final Schemas schemas;

  private Reference(JsonObject contract) {
    this.contract = contract;
    this.schemas = new Schemas(contract, markdown);
  }

  /** A section for each tag, in the contract's order; a tag without operations has none. */
  static List<Section> sections(JsonObject contract) {
    return new Reference(contract).sections();
  }

  private List<Section> sections() {
    var sections = new ArrayList<Section>();
    for (JsonObject tag : Schemas.objects(contract.array("tags").orElse(JsonArray.EMPTY))) {
      String name = tag.string("name").orElseThrow();
      List<Operation> operations = operations(name);
      if (!operations.isEmpty()) {
        sections.add(new Section(name, about(tag), operations));
      }
    }
    return List.copyOf(sections);
  }

  private List<Operation> operations(String tag) {
    var found = new ArrayList<Operation>();
    contract
        .object("paths")
        .orElse(JsonObject.EMPTY)
        .forEach((path, methods) ->
            ((JsonObject) methods)
                .forEach((method, operation) -> {
                  if (METHODS.contains(method)
                      && operation instanceof JsonObject one
                      && one.array("tags")
                          .orElse(JsonArray.EMPTY)
                          .elements()
                          .contains(new JsonString(tag))) {
                    found.add(operation(path, method, one));
                  }
                }));
    return found;
  }

  private Operation operation(String path, String method, JsonObject operation) {
    String scope = operation.string("x-scope").orElse("none");
    return new Operation(
        operation.string("operationId").orElseThrow(),
        method.toUpperCase(Locale.ROOT),
        path,
        operation.string("summary").orElse(""),
        about(operation),
        ACCESS.getOrDefault(scope, "scope " + scope),
        parameters(operation),
        body(operation),
        answers(operation),
        answered(operation));
  }

  private List<Operation.Field> parameters(JsonObject operation) {
    var fields = new ArrayList<Operation.Field>();
    for (JsonObject each : Schemas.objects(operation.array("parameters").orElse(JsonArray.EMPTY))) {
      JsonObject parameter = schemas.resolved(each);
      fields.add(
          new Operation.Field(
              parameter.string("name").orElseThrow(),
              parameter.string("in").orElseThrow(),
              schemas.type(parameter.object("schema").orElse(JsonObject.EMPTY)),
              parameter.isTrue("required"),
              about(parameter)));
    }
    return fields;
  }

  private List<Operation.Field> body(JsonObject operation) {
    return operation
        .object("requestBody")
        .map(schemas::resolved)
        .flatMap(Reference::anyContent)
        .flatMap(content -> content.object("schema"))
        .map(schemas::members)
        .orElse(List.of());
  }

  private List<Operation.Answer> answers(JsonObject operation) {
    var answers = new ArrayList<Operation.Answer>();
    operation
        .object("responses")
        .orElse(JsonObject.EMPTY)
        .forEach((status, answer) ->
            answers.add(
                new Operation.Answer(status, about(schemas.resolved((JsonObject) answer)))));
    return answers;
  }

  private String answered(JsonObject operation) {
    var found = new ArrayList<String>();
    operation
        .object("responses")
        .orElse(JsonObject.EMPTY)
        .forEach((status, answer) -> {
          if (status.startsWith("2") && found.isEmpty()) {
            anyContent(schemas.resolved((JsonObject) answer))
                .flatMap(Reference::example)
                .map(Indented::of)
                .ifPresent(found::add);
          }
        });
    return found.isEmpty() ? "" : found.getFirst();
  }

  /** The one example, or the first of several. */
  private static Optional<JsonObject> example(JsonObject content) {
    var named = new ArrayList<JsonObject>();
    content
        .object("examples")
        .orElse(JsonObject.EMPTY)
        .forEach((_, example) -> ((JsonObject) example).object("value").ifPresent(named::add));
    return named.isEmpty() ? content.object("example") : Optional.of(named.getFirst());
  }

  private static Optional<JsonObject> anyContent(JsonObject holder) {
    return holder
        .object("content")
        .flatMap(content -> {
          var first = new ArrayList<JsonValue>();
          content.forEach((_, value) -> first.add(value));
          return first.stream().map(JsonObject.class::cast).findFirst();
        });
  }

  private String about(JsonObject part) {
    return part.string("description").map(markdown::html).orElse("");
  }
}
