package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.Optional;

/** Shows the remaining data of an erased decision, and the record of its erasure. */
public final class ErasedDecision {
  /** The number of pages to search. Erasures are few, so an older one is not searched for. */
  private static final int MOST_PAGES = 5;

  private ErasedDecision() {}

  /**
   * The page; {@code console/erased.jte}.
   *
   * @param by the record of the erasure, if it was found
   */
  public record ErasedPage(
      Layout shell,
      String id,
      String place,
      Formats.When at,
      Optional<By> by,
      boolean included,
      String inclusion,
      String curl) {}

  /** The record of the erasure. */
  public record By(String place, Formats.When at, String cause, String who) {}

  public static ErasedPage of(OpenPage page, Layout shell, JsonObject record) {
    String id = record.text("record_id");
    long place = record.whole("log_index").orElse(-1L);
    Inclusion inclusion = Inclusion.of(page, id);
    return new ErasedPage(
        shell,
        id,
        Formats.count(place),
        page.when(record.text("at")),
        by(page, place),
        inclusion.holds(),
        inclusion.text(),
        Curl.get(page, "/api/audit/" + id));
  }

  private static Optional<By> by(OpenPage page, long place) {
    Optional<String> cursor = Optional.of("");
    for (int i = 0; i < MOST_PAGES && cursor.isPresent(); i++) {
      JsonObject answer =
          page.get(
              "/api/audit?kind=erasure&limit=200"
                  + cursor.filter(c -> !c.isEmpty()).map(c -> "&cursor=" + c).orElse(""));
      for (JsonObject erasure : answer.objects("records")) {
        if (covers(erasure.child("body"), place)) {
          return Optional.of(by(page, erasure));
        }
      }
      cursor = answer.string("next_cursor");
    }
    return Optional.empty();
  }

  private static By by(OpenPage page, JsonObject erasure) {
    JsonObject body = erasure.child("body");
    boolean old = body.text("cause").equals("retention");
    String reason = body.text("reason");
    return new By(
        erasure.whole("log_index").map(Formats::count).orElse(""),
        page.when(erasure.text("at")),
        old
            ? "The record was older than the organization's retention period."
            : reason.isEmpty() ? "No reason was given." : reason,
        old ? "" : page.actor(erasure.child("details").text("caller")).name());
  }

  private static boolean covers(JsonObject body, long place) {
    for (JsonValue range : body.list("ranges")) {
      if (range instanceof JsonArray pair
          && pair.size() == 2
          && pair.get(0) instanceof JsonNumber(double first, _)
          && pair.get(1) instanceof JsonNumber(double last, _)
          && first <= place
          && place <= last) {
        return true;
      }
    }
    return false;
  }
}
