package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * One page of a list, as requested by {@code limit} and {@code cursor}.
 *
 * @param limit the maximum number of elements, 1 to 200
 * @param after the id of the last element of the previous page
 */
public record ListPage(int limit, Optional<String> after) {
  public static final int MAX_LIMIT = 200;
  private static final int DEFAULT_LIMIT = 50;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_:.-]{1,128}");

  /**
   * Reads the query.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for a limit out of range or an invalid
   *     cursor
   */
  public static ListPage of(Request request) {
    return new ListPage(
        request
            .query("limit")
            .map(text -> number("limit", text, 1, MAX_LIMIT))
            .orElse(DEFAULT_LIMIT),
        request.query("cursor").filter(text -> !text.isEmpty()).map(ListPage::id));
  }

  /** Returns the number to fetch: one more than requested, to detect a next page. */
  public int fetch() {
    return limit + 1;
  }

  /**
   * Returns the response to a list request.
   *
   * @param fetched up to {@link #fetch} elements
   * @param id returns an element's id for the next page's cursor
   */
  public <T> Response answer(
      String plural,
      List<T> fetched,
      Function<T, String> id,
      Function<T, ? extends JsonValue> shape) {
    boolean more = fetched.size() > limit;
    List<T> shown = more ? fetched.subList(0, limit) : fetched;
    JsonValue next = more ? new JsonString(cursor(id.apply(shown.getLast()))) : JsonNull.NULL;
    return Response.ok(JsonObject.builder().put(plural, shown, shape).put("next_cursor", next));
  }

  /** Parses a whole number from the query. */
  public static int number(String name, String text, int min, int max) {
    try {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below, as for a number out of range
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
      // reported below, as for text that does not decode to an id
    }
    throw Problem.invalid("cursor", "cursor must be the next_cursor of the page before, unchanged.")
        .toException();
  }
}
