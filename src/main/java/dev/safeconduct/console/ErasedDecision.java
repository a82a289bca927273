package dev.safeconduct.console;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.Optional;

/** Tells what is left of a decision whose content was erased, and by which record it was. */
public final class ErasedDecision {
  /** Erasures are few; behind so many it is not looked for any more. */
  private static final int MOST_PAGES = 5;

  private ErasedDecision() {}

  /**
   * The page; {@code console/erased.jte}.
   *
   * @param by the record of the erasure, where it was found
   */
  public record View(
      Shell shell,
      String id,
      String place,
      Show.When at,
      Optional<By> by,
      boolean included,
      String inclusion,
      String curl) {}

  /** The record that tells of the erasure. */
  public record By(String place, Show.When at, String cause, String who) {}

  static View tell(OpenPage page, Shell shell, JsonObject record) {
    String id = Read.text(record, "record_id");
    long place = Read.whole(record, "log_index").orElse(-1L);
    Inclusion inclusion = Inclusion.of(page, id);
    return new View(
        shell,
        id,
        Show.count(place),
        Show.when(Read.text(record, "at"), page.now()),
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
      for (JsonObject erasure : Read.objects(answer, "records")) {
        if (covers(Read.object(erasure, "body"), place)) {
          return Optional.of(by(page, erasure));
        }
      }
      cursor = answer.string("next_cursor");
    }
    return Optional.empty();
  }

  private static By by(OpenPage page, JsonObject erasure) {
    JsonObject body = Read.object(erasure, "body");
    boolean old = Read.text(body, "cause").equals("retention");
    String reason = Read.text(body, "reason");
    return new By(
        Read.whole(erasure, "log_index").map(Show::count).orElse(""),
        Show.when(Read.text(erasure, "at"), page.now()),
        old
            ? "It was older than the organization keeps records."
            : reason.isEmpty() ? "No reason was given." : reason,
        old ? "" : Words.caller(Read.text(Read.object(erasure, "details"), "caller")));
  }

  private static boolean covers(JsonObject body, long place) {
    for (JsonValue range : body.array("ranges").orElse(JsonArray.EMPTY)) {
      if (range instanceof JsonArray pair
          && pair.size() == 2
          && pair.get(0) instanceof JsonNumber(double first)
          && pair.get(1) instanceof JsonNumber(double last)
          && first <= place
          && place <= last) {
        return true;
      }
    }
    return false;
  }
}
