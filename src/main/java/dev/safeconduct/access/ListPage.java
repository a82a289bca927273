package dev.safeconduct.access;

import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The part of a list a request asks for with {@code limit} and {@code cursor}.
 *
 * @param limit how many elements at most, 1 to 200
 * @param after the id of the last element the caller has seen
 */
public record ListPage(int limit, Optional<String> after) {
  public static final int MAX_LIMIT = 200;
  private static final int DEFAULT_LIMIT = 50;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_:.-]{1,128}");

  /**
   * Reads the query.
   *
   * @throws dev.safeconduct.problem.ProblemException 400 for a limit out of range or a cursor that
   *     is not one of ours
   */
  public static ListPage of(Request request) {
    return new ListPage(
        request
            .query("limit")
            .map(text -> number("limit", text, 1, MAX_LIMIT))
            .orElse(DEFAULT_LIMIT),
        request.query("cursor").filter(text -> !text.isEmpty()).map(ListPage::id));
  }

  /** How many to fetch: one more than asked for, to see whether there is a next page. */
  public int fetch() {
    return limit + 1;
  }

  /**
   * The answer to a list.
   *
   * @param fetched up to {@link #fetch} elements
   * @param id what the next page's cursor holds
   */
  public <T> Response answer(
      String plural,
      List<T> fetched,
      Function<T, String> id,
      Function<T, ? extends JsonValue> shape) {
    boolean more = fetched.size() > limit;
    List<T> shown = more ? fetched.subList(0, limit) : fetched;
    JsonValue next = more ? new JsonString(cursor(id.apply(shown.getLast()))) : JsonNull.NULL;
    List<JsonValue> elements = shown.stream().<JsonValue>map(shape).toList();
    return Response.json(
        200,
        JsonObject.builder()
            .put(plural, new JsonArray(elements))
            .put("next_cursor", next)
            .put("ok", true)
            .build());
  }

  /** A whole number of the query. */
  public static int number(String name, String text, int min, int max) {
    try {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below, as for a number out of range
    }
    throw Problem.invalid(name, name + " must be a whole number from " + min + " to " + max + ".")
        .toException();
  }

  private static String cursor(String id) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(id.getBytes(StandardCharsets.UTF_8));
  }

  private static String id(String cursor) {
    try {
      String id = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      if (ID.matcher(id).matches()) {
        return id;
      }
    } catch (IllegalArgumentException e) {
      // said below, as for text that decodes to no id
    }
    throw Problem.invalid("cursor", "cursor must be the next_cursor of the page before, unchanged.")
        .toException();
  }
}
