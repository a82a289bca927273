package dev.safeconduct.authzen;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The requested page of a search's results (AuthZEN section 8.2.1).
 *
 * @param limit the maximum number of results
 * @param after the last candidate of the previous page; empty for the first page
 * @param search identifies the search, so that a token is valid for its own search only
 */
record Page(int limit, Optional<String> after, String search) {
  private static final int USUAL_LIMIT = 100;
  private static final int MAX_LIMIT = 1_000;
  private static final List<String> ASKED = List.of("subject", "action", "resource", "context");

  /**
   * Reads {@code page} of a search.
   *
   * @param path of the search, as its name
   * @throws dev.safeconduct.error.ProblemException 400 for a limit that is not a whole number, or
   *     for a token of another search
   */
  static Page read(String path, JsonObject body) {
    JsonObject page = EvaluationRequest.object(body, "page", "page").orElse(JsonObject.EMPTY);
    JsonObject.Builder asked = JsonObject.builder().put("path", path);
    for (String name : ASKED) {
      JsonValue value = body.present(name);
      if (value != null) {
        asked.put(name, value);
      }
    }
    String search = CanonicalJson.digest(asked.build()).substring(7, 39);
    Optional<Integer> limit = limit(page);
    JsonValue token = page.present("token");
    if (token == null || token.equals(new JsonString(""))) {
      return new Page(limit.orElse(USUAL_LIMIT), Optional.empty(), search);
    }
    Page continued =
        Optional.of(token)
            .filter(JsonString.class::isInstance)
            .flatMap(text -> open(((JsonString) text).value()))
            .orElseThrow(() ->
                Problem.invalid("page.token", "page.token is none that a search has answered.")
                    .toException());
    if (!continued.search.equals(search)) {
      throw Problem.invalid(
              "page.token", "page.token belongs to another search; repeat that one unchanged.")
          .toException();
    }
    if (limit.isPresent() && limit.get() != continued.limit) {
      throw Problem.invalid(
              "page.limit", "page.limit must stay " + continued.limit + " until the last page.")
          .toException();
    }
    return continued;
  }

  private static Optional<Integer> limit(JsonObject page) {
    JsonValue limit = page.present("limit");
    if (limit == null) {
      return Optional.empty();
    }
    if (limit instanceof JsonNumber(double value) && value >= 0 && value == Math.rint(value)) {
      return Optional.of((int) Math.min(value, MAX_LIMIT));
    }
    throw Problem.invalid("page.limit", "page.limit must be a whole number from 0.").toException();
  }

  /** Returns the token of the page after the candidate. */
  String token(String last) {
    JsonArray parts =
        JsonArray.of(new JsonString(search), new JsonNumber(limit), new JsonString(last));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(parts));
  }

  private static Optional<Page> open(String token) {
    try {
      if (Json.parse(Base64.getUrlDecoder().decode(token)) instanceof JsonArray parts
          && parts.size() == 3
          && parts.get(0) instanceof JsonString(String search)
          && parts.get(1) instanceof JsonNumber(double limit)
          && parts.get(2) instanceof JsonString(String after)
          && limit >= 0
          && limit <= MAX_LIMIT) {
        return Optional.of(new Page((int) limit, Optional.of(after), search));
      }
    } catch (JsonFault | IllegalArgumentException e) {
      // The token does not come from this service.
    }
    return Optional.empty();
  }
}
