package dev.safeconduct.hook;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Locale;

/**
 * One way in which a tool's input describes an action: a row of {@code hooks.json}.
 *
 * @param spec the names of the members that hold the parts of the action
 */
record ToolRow(Kind kind, JsonObject spec) {
  /** The kinds of actions; see {@link Actions}. */
  enum Kind {
    SHELL,
    READ,
    SEARCH,
    WRITE,
    DELETE,
    PATCH,
    FETCH,
    WEB_SEARCH,
    SESSION,
    MCP,
    RESOURCE
  }

  static List<ToolRow> read(JsonValue rows) {
    return rows instanceof JsonArray several
        ? several.elements().stream().map(each -> row((JsonObject) each)).toList()
        : List.of(row((JsonObject) rows));
  }

  private static ToolRow row(JsonObject spec) {
    String kind = spec.string("kind").orElseThrow();
    return new ToolRow(Kind.valueOf(kind.toUpperCase(Locale.ROOT)), spec);
  }

  /** Returns the text of the specification; empty without it. */
  String get(String name) {
    return spec.text(name);
  }

  /**
   * Whether the input has what the row demands: a member, or one of certain texts in it ({@code
   * if}), or any other text ({@code unless}).
   */
  boolean fits(JsonObject input) {
    JsonObject demanded = spec.child("if");
    JsonObject excluded = spec.child("unless");
    return demanded.names().stream()
            .allMatch(name -> {
              List<String> texts = demanded.array(name).orElseThrow().texts();
              return texts.isEmpty()
                  ? input.present(name) != null
                  : input.get(name) instanceof JsonString(String text) && texts.contains(text);
            })
        && excluded.names().stream()
            .allMatch(name ->
                input.get(name) instanceof JsonString(String text)
                    && !excluded.array(name).orElseThrow().texts().contains(text));
  }
}
