package dev.safeconduct.site;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Lazy;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The OpenAPI 3.1 document with this service's own addresses. */
public final class Contract {
  /** The paths that have the address of issuing and claiming. */
  private static final List<String> ISSUING =
      List.of("/api/issue", "/api/claim/resend", "/claim/{token}");

  /** A start that read it would take a tenth longer. */
  private final Lazy<JsonObject> document;

  /** Both addresses are the public ones, from configuration. */
  public Contract(String baseUrl, String issueUrl) {
    this.document = new Lazy<>(() -> read(baseUrl, issueUrl));
  }

  private static JsonObject read(String baseUrl, String issueUrl) {
    try {
      JsonObject contract =
          Json.parseObject(Published.bytes("openapi.json")).with("servers", servers(baseUrl));
      return issueUrl.equals(baseUrl) ? contract : withIssueUrl(contract, issueUrl);
    } catch (JsonFault e) {
      throw new IllegalStateException("the contract is not JSON", e);
    }
  }

  private static JsonObject withIssueUrl(JsonObject contract, String issueUrl) {
    JsonObject paths = contract.object("paths").orElseThrow();
    for (String path : ISSUING) {
      JsonObject operations = paths.object(path).orElseThrow();
      paths = paths.with(path, operations.with("servers", servers(issueUrl)));
    }
    return contract.with("paths", paths);
  }

  private static JsonArray servers(String url) {
    return JsonArray.of(JsonObject.of("url", url));
  }

  public JsonObject document() {
    return document.get();
  }

  /** Returns the API's version, by semantic versioning. */
  String version() {
    return document().object("info").flatMap(info -> info.string("version")).orElseThrow();
  }

  /** Returns all operations as a Markdown list, grouped by tag. */
  String operations() {
    var text = new StringBuilder();
    for (JsonObject tag : document().objects("tags")) {
      String name = tag.string("name").orElseThrow();
      text.append("### ").append(name).append("\n\n");
      tag.string("description").ifPresent(about -> text.append(about).append("\n\n"));
      document()
          .child("paths")
          .forEach((path, methods) ->
              ((JsonObject) methods)
                  .forEach((method, operation) -> {
                    if (operation instanceof JsonObject one && isTagged(one, name)) {
                      line(text, method, path, one);
                    }
                  }));
      text.append('\n');
    }
    return text.toString().strip();
  }

  private static void line(StringBuilder text, String method, String path, JsonObject operation) {
    text.append("- `").append(method.toUpperCase(Locale.ROOT)).append(' ').append(path);
    text.append("`: ").append(operation.text("summary"));
    Optional<String> scope = operation.string("x-scope").filter(name -> !name.equals("none"));
    scope.ifPresent(name -> text.append(" (").append(name).append(')'));
    text.append('\n');
  }

  private static boolean isTagged(JsonObject operation, String tag) {
    List<JsonValue> tags = operation.list("tags").elements();
    return tags.contains(new JsonString(tag));
  }
}
