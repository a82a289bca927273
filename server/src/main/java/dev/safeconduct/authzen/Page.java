package dev.safeconduct.authzen;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.Members;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The requested page of a search's results (AuthZEN section 8.2.1).
 *
 * @param limit the maximum number of results
 * @param after the last candidate of the previous page; empty if no candidate precedes the page
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
    Members page = Members.of(body).members("page").orElse(Members.of(JsonObject.EMPTY));
    JsonObject asked = body.only(ASKED).with("path", path);
    String search = CanonicalJson.digest(asked).substring(7, 39);
    Optional<Integer> limit = limit(page);
    Optional<String> token = page.text("token").filter(text -> !text.isEmpty());
    if (token.isEmpty()) {
      return new Page(limit.orElse(USUAL_LIMIT), Optional.empty(), search);
    }
    Page continued =
        open(token.get())
            .orElseThrow(
                () -> page.fault("token", "page.token is not a token from a search response."));
    if (!continued.search.equals(search)) {
      throw page.fault("token", "page.token belongs to another search; repeat that one unchanged.");
    }
    if (continued.limit == 0) {
      // Nothing was shown yet, so any limit continues the search.
      return new Page(limit.orElse(USUAL_LIMIT), continued.after, search);
    }
    if (limit.isPresent() && limit.get() != continued.limit) {
      throw page.fault(
          "limit", "page.limit must stay " + continued.limit + " until the last page.");
    }
    return continued;
  }

  private static Optional<Integer> limit(Members page) {
    OptionalLong limit = page.whole("limit", 0, Long.MAX_VALUE);
    return limit.isPresent()
        ? Optional.of((int) Math.min(limit.getAsLong(), MAX_LIMIT))
        : Optional.empty();
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
          && parts.get(1) instanceof JsonNumber(double limit, _)
          && parts.get(2) instanceof JsonString(String after)
          && limit >= 0
          && limit <= MAX_LIMIT) {
        return Optional.of(
            new Page((int) limit, Optional.of(after).filter(place -> !place.isEmpty()), search));
      }
    } catch (JsonFault | IllegalArgumentException e) {
      // The token does not come from this service.
    }
    return Optional.empty();
  }
}
