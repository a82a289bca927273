package dev.safeconduct.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.OpenApi;
import dev.safeconduct.testkit.OpenApi.Operation;
import dev.safeconduct.testkit.TestService;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The published contract names exactly what is served, and to whom. */
final class OpenApiTest {
  private static final OpenApi API = OpenApi.published();

  @AutoClose private static final TestService service = TestService.start();

  @Test
  void describesEveryRouteWithItsScopeAndNothingElse() {
    var served = new TreeMap<String, String>();
    for (Route route : service.routes()) {
      if (route.path().matches("/console(/.*)?")) {
        continue; // pages and what they are made of are no contract
      }
      // A last parameter that takes the rest of the path has no spelling of its own in OpenAPI.
      String path = route.path().replace("...}", "}");
      served.put(route.method() + " " + path, scope(route.permission()));
    }
    var described = new TreeMap<String, String>();
    for (Operation operation : API.operations()) {
      described.put(operation.method() + " " + operation.path(), operation.scope());
    }
    assertThat(described).isEqualTo(served);
  }

  /** The words of {@code x-scope}. */
  static String scope(Permission permission) {
    return switch (permission) {
      case Permission.Open _ -> "none";
      case Permission.OptionalCredential _ -> "optional";
      case Permission.Scoped scoped -> scoped.scope().wire();
      case Permission.ScopedOrAnonymous scoped -> scoped.scope().wire() + " or anonymous";
      case Permission.AdminOnly _ -> "admin";
      case Permission.Administrator _ -> "administrator";
      case Permission.AnyCredential _ -> "any credential";
      case Permission.AdminOrUnauthorized _ -> "admin or unauthorized";
      case Permission.Browser _ -> "page";
    };
  }

  @Test
  void offersTheCredentialsThatTheScopeTakes() {
    var verifying = new HashSet<String>();
    service.routes().stream()
        .filter(Route::verifies)
        .forEach(route -> verifying.add(route.method() + " " + route.path()));
    for (Operation operation : API.operations()) {
      String scope = operation.scope().replace(" or anonymous", "");
      boolean session = !verifying.contains(operation.method() + " " + operation.path());
      String wanted =
          switch (scope) {
            case "none" -> "[]";
            case "optional" ->
                "[{},{\"ApiKeyAuth\":[]},{\"BearerAuth\":[]},{\"AdminToken\":[]},SESSION]";
            case "any credential" ->
                "[{\"ApiKeyAuth\":[]},{\"BearerAuth\":[]},{\"AdminToken\":[]},SESSION]";
            case "admin", "admin or unauthorized", "administrator" ->
                "[{\"AdminToken\":[]},SESSION]";
            default ->
                "[{\"ApiKeyAuth\":[%1$s]},{\"BearerAuth\":[%1$s]},{\"AdminToken\":[]},SESSION]"
                    .formatted(
                        operation
                            .json()
                            .string("x-second-scope")
                            .map(second -> "\"" + scope + "\",\"" + second + "\"")
                            .orElse("\"" + scope + "\""));
          };
      wanted = wanted.replace(",SESSION", session ? ",{\"SessionCookie\":[]}" : "");
      assertThat(Json.text(operation.json().array("security").orElseThrow()))
          .as(operation.id())
          .isEqualTo(wanted);
    }
  }

  @Test
  void declaresBothScopesWhereTheDescriptionNamesTwo() {
    for (Operation operation : API.operations()) {
      String first = "Needs the scopes `" + operation.scope() + "` and `";
      String description = operation.json().string("description").orElse("");
      int at = description.indexOf(first);
      assertThat(operation.json().string("x-second-scope"))
          .as(operation.id())
          .isEqualTo(
              at < 0
                  ? Optional.empty()
                  : Optional.of(description.substring(at + first.length()).split("`", 2)[0]));
    }
  }

  @Test
  void declaresTheErrorsThatAnOperationCanAnswer() {
    for (Operation operation : API.operations()) {
      if (operation.id().equals("answerHook")) {
        continue; // Every failure is an answer.
      }
      JsonObject responses = operation.json().object("responses").orElseThrow();
      var expected = new HashSet<>(List.of("500"));
      if (!List.of("none", "optional").contains(operation.scope())) {
        expected.addAll(List.of("401", "429"));
        if (!operation.scope().equals("admin or unauthorized")) {
          expected.add("403");
        }
      }
      // A body of these methods is read, even where none is needed.
      if (!List.of("GET", "DELETE").contains(operation.method())) {
        expected.addAll(List.of("400", "413"));
        // AuthZEN answers another content type with 400 (its section 10.1.2).
        if (!operation.path().startsWith("/access/v1/")) {
          expected.add("415");
        }
      }
      if (operation
          .path()
          .matches(".*\\{(agent|org|key|decision|record|policy|webhook|delivery)_id}.*")) {
        expected.add("404");
      }
      assertThat(responses.names()).as(operation.id()).containsAll(expected);
    }
  }

  @Test
  void namesEachOperationOnceAndUnderAKnownTag() {
    var tags = new HashSet<String>();
    for (JsonValue tag : API.document().array("tags").orElseThrow()) {
      tags.add(((JsonObject) tag).string("name").orElseThrow());
    }
    var ids = new HashSet<String>();
    for (Operation operation : API.operations()) {
      assertThat(ids.add(operation.id())).as(operation.id()).isTrue();
      assertThat(operation.json().string("summary")).as(operation.id()).isPresent();
      assertThat(operation.json().string("description")).as(operation.id()).isPresent();
      assertThat(operation.json().array("tags").orElseThrow().strings())
          .as(operation.id())
          .isNotEmpty()
          .allMatch(tags::contains);
    }
  }

  @Test
  void everyReferenceLeadsSomewhere() {
    walk(
        API.document(),
        "#",
        (pointer, object) ->
            object
                .string("$ref")
                .ifPresent(target -> assertThat(API.at(target)).as(pointer).isPresent()));
  }

  @Test
  void everyParameterOfAPathIsDescribed() {
    for (Operation operation : API.operations()) {
      var described = new HashSet<String>();
      for (JsonValue parameter : operation.json().array("parameters").orElse(JsonArray.EMPTY)) {
        JsonObject meant = (JsonObject) parameter;
        if (meant.string("$ref").isPresent()) {
          meant = (JsonObject) API.at(meant.string("$ref").get()).orElseThrow();
        }
        if (meant.string("in").orElse("").equals("path")) {
          described.add("{" + meant.string("name").orElseThrow() + "}");
        }
      }
      var named = new HashSet<>(List.of(operation.path().split("/", -1)));
      named.removeIf(segment -> !segment.startsWith("{"));
      assertThat(described).as(operation.id()).isEqualTo(named);
    }
  }

  @Test
  void examplesFitTheirSchemas() {
    walk(
        API.document(),
        "#",
        (pointer, object) -> {
          if (object.has("schema") && object.get("example") instanceof JsonObject example) {
            assertThat(API.faults(pointer + "/schema", Json.text(example), true))
                .as(pointer)
                .isEmpty();
          }
          object
              .object("examples")
              .ifPresent(examples ->
                  examples.forEach((name, example) ->
                      assertThat(
                              API.faults(
                                  pointer + "/schema",
                                  Json.text(((JsonObject) example).object("value").orElseThrow()),
                                  true))
                          .as(pointer + " " + name)
                          .isEmpty()));
          for (JsonValue example : object.array("examples").orElse(JsonArray.EMPTY)) {
            assertThat(API.faults(pointer, Json.text(example), false)).as(pointer).isEmpty();
          }
        });
  }

  private static void walk(JsonValue value, String at, BiConsumer<String, JsonObject> visitor) {
    if (value instanceof JsonObject object) {
      visitor.accept(at, object);
      object.forEach((name, inner) ->
          walk(inner, at + "/" + name.replace("~", "~0").replace("/", "~1"), visitor));
    } else if (value instanceof JsonArray array) {
      // Nothing that is looked for stands in a list, but references do.
      array.forEach(inner ->
          walk(
              inner,
              at + "/-",
              (pointer, object) -> {
                if (object.has("$ref")) {
                  visitor.accept(pointer, object);
                }
              }));
    }
  }
}
