package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.problem.Problem;
import java.util.List;

/** For the operator: letters that wait, and the settings the service runs with. */
public final class OperatorPage {
  private static final int LETTERS = 200;

  private final DoorPage door;
  private final Outbox outbox;
  private final List<Setting> settings;

  /**
   * @param settings those in force; secrets only as whether they are set
   */
  OperatorPage(DoorPage door, Outbox outbox, List<Setting> settings) {
    this.door = door;
    this.outbox = outbox;
    this.settings = List.copyOf(settings);
  }

  List<Route> routes() {
    return List.of(
        door.page("/console/outbox", this::outbox), door.page("/console/settings", this::settings));
  }

  /** A setting with its value as it may be shown. */
  public record Setting(String name, String value) {}

  /** The settings; {@code console/settings.jte}. */
  public record Settings(Shell shell, List<Setting> settings) {
    public Settings {
      settings = List.copyOf(settings);
    }
  }

  /** The letters; {@code console/outbox.jte}. */
  public record Letters(Shell shell, String lead, List<Letter> letters) {
    public Letters {
      letters = List.copyOf(letters);
    }
  }

  /** A letter that has not left. */
  public record Letter(
      String kind, String about, Show.When at, String tries, boolean givenUp, String fault) {}

  private static void demandOperator(OpenPage page) {
    if (!page.isOperator()) {
      throw new Problem.Forbidden("Only an operator of the service sees this.").toException();
    }
  }

  private Response settings(OpenPage page) {
    demandOperator(page);
    return page.show("console/settings.jte", "Settings", shell -> new Settings(shell, settings));
  }

  private Response outbox(OpenPage page) {
    demandOperator(page);
    List<Letter> letters =
        outbox.kept(LETTERS).stream()
            .map(kept ->
                new Letter(
                    Show.words(kept.entry().kind()),
                    Show.clip(kept.entry().subject(), 80),
                    Show.when(IsoInstant.millis(kept.entry().createdAt()), page.now()),
                    Show.count(kept.entry().attempts(), "try", "tries"),
                    kept.givenUp(),
                    kept.fault()))
            .toList();
    long givenUp = letters.stream().filter(Letter::givenUp).count();
    return page.show(
        "console/outbox.jte",
        "Outbox",
        shell ->
            new Letters(
                shell,
                letters.isEmpty()
                    ? "Every letter has left."
                    : Show.count(letters.size() - givenUp, "letter waits", "letters wait")
                        + " and "
                        + Show.count(givenUp, "was given up", "were given up")
                        + ".",
                letters));
  }
}
