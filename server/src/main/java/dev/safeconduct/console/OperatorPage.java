package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.Problem;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.mail.Outbox;
import java.util.List;

/** Pages for the operator: emails in the outbox, and the effective settings. */
public final class OperatorPage {
  private static final int LETTERS = 200;

  private final SignInPage signIn;
  private final Outbox outbox;
  private final List<Setting> settings;

  /**
   * @param settings the effective settings; secrets only as whether they are set
   */
  OperatorPage(SignInPage signIn, Outbox outbox, List<Setting> settings) {
    this.signIn = signIn;
    this.outbox = outbox;
    this.settings = List.copyOf(settings);
  }

  List<Route> routes() {
    return List.of(
        signIn.page("/console/outbox", this::outbox),
        signIn.page("/console/settings", this::settings));
  }

  /** A setting with the value that may be shown. */
  public record Setting(String name, String value) {}

  /** The settings; {@code console/settings.jte}. */
  public record Settings(Layout shell, List<Setting> settings) {
    public Settings {
      settings = List.copyOf(settings);
    }
  }

  /** The emails in the outbox; {@code console/outbox.jte}. */
  public record OutboxPage(Layout shell, String lead, List<WaitingEmail> letters) {
    public OutboxPage {
      letters = List.copyOf(letters);
    }
  }

  /** An email that has not been sent. */
  public record WaitingEmail(
      String kind, String about, Formats.When at, String tries, boolean givenUp, String fault) {}

  private static void demandOperator(OpenPage page) {
    if (!page.isOperator()) {
      throw new Problem.Forbidden("Only an operator of the service may view this.").toException();
    }
  }

  private Response settings(OpenPage page) {
    demandOperator(page);
    return page.show("console/settings.jte", "Settings", shell -> new Settings(shell, settings));
  }

  private Response outbox(OpenPage page) {
    demandOperator(page);
    List<WaitingEmail> letters =
        outbox.kept(LETTERS).stream()
            .map(kept ->
                new WaitingEmail(
                    Formats.words(kept.entry().kind()),
                    Formats.clip(kept.entry().subject(), 80),
                    Formats.when(IsoInstant.millis(kept.entry().createdAt()), page.now()),
                    Formats.count(kept.entry().attempts(), "attempt", "attempts"),
                    kept.givenUp(),
                    kept.fault()))
            .toList();
    long givenUp = letters.stream().filter(WaitingEmail::givenUp).count();
    return page.show(
        "console/outbox.jte",
        "Outbox",
        shell ->
            new OutboxPage(
                shell,
                letters.isEmpty()
                    ? "No emails waiting."
                    : Formats.count(letters.size() - givenUp, "email waiting", "emails waiting")
                        + ", "
                        + Formats.count(givenUp)
                        + " failed.",
                letters));
  }
}
