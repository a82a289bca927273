package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.WrittenEmail;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Pages for the operator: emails in the outbox, and the effective settings. */
public final class OperatorPage {
  private static final int EMAILS = 200;

  private final Outbox outbox;
  private final Optional<Path> folder;
  private final List<Setting> settings;

  /**
   * @param folder where emails are written if there is no mail server
   * @param settings the effective settings; secrets only as whether they are set
   */
  OperatorPage(Outbox outbox, Optional<Path> folder, List<Setting> settings) {
    this.outbox = outbox;
    this.folder = folder;
    this.settings = List.copyOf(settings);
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page("/console/outbox", this::outbox),
        signIn.page("/console/settings", this::settings));
  }

  /** A setting with the value that may be shown. */
  public record Setting(String name, String value) {}

  /** The settings; {@code console/settings.jte}. */
  public record Settings(Layout shell, List<Setting> settings) {}

  /** The emails in the outbox; {@code console/outbox.jte}. */
  public record OutboxPage(
      Layout shell, String lead, List<WaitingEmail> waiting, List<Written> written) {}

  /** An email in the folder. */
  public record Written(String to, String subject, String text, Formats.When at) {}

  /** An email that has not been sent. */
  public record WaitingEmail(
      String kind, String about, Formats.When at, String tries, boolean givenUp, String fault) {}

  private static void demandOperator(OpenPage page) {
    if (!page.isOperator()) {
      throw ProblemException.forbidden("Only an operator of the service may view this.");
    }
  }

  private Response settings(OpenPage page) {
    demandOperator(page);
    return page.show("console/settings.jte", "Settings", shell -> new Settings(shell, settings));
  }

  private Response outbox(OpenPage page) {
    demandOperator(page);
    List<WaitingEmail> waiting =
        outbox.kept(page.now(), EMAILS).stream()
            .map(kept ->
                new WaitingEmail(
                    Formats.words(kept.entry().kind()),
                    Formats.clip(kept.entry().subject(), 80),
                    page.when(IsoInstant.millis(kept.entry().createdAt())),
                    Formats.count(kept.entry().attempts(), "attempt", "attempts"),
                    kept.givenUp(),
                    kept.fault()))
            .toList();
    List<Written> written =
        folder.map(path -> WrittenEmail.newest(path, EMAILS)).orElse(List.of()).stream()
            .map(email ->
                new Written(
                    email.to(),
                    email.subject(),
                    email.text(),
                    page.when(IsoInstant.millis(email.at()))))
            .toList();
    return page.show(
        "console/outbox.jte",
        "Outbox",
        shell -> new OutboxPage(shell, lead(waiting), waiting, written));
  }

  private String lead(List<WaitingEmail> waiting) {
    long givenUp = waiting.stream().filter(WaitingEmail::givenUp).count();
    String queue =
        waiting.isEmpty()
            ? "No emails waiting."
            : Formats.count(waiting.size() - givenUp, "email waiting", "emails waiting")
                + ", "
                + Formats.count(givenUp)
                + " failed.";
    return folder
        .map(path ->
            "No mail server is set (SMTP_URL), so emails are not sent. They are written to "
                + path
                + " on the server and shown here. "
                + queue)
        .orElse(queue);
  }
}
