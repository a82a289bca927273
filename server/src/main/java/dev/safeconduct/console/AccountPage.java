package dev.safeconduct.console;

import dev.safeconduct.access.Sessions;
import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.OidcSignIn;
import dev.safeconduct.access.people.Passkey;
import dev.safeconduct.access.people.SignIn;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One's own account: passkeys, recovery codes and sessions. */
public final class AccountPage {
  private static final String PATH = "/console/account";

  /** A stolen session must not make itself a passkey: changes need a sign-in this recent. */
  private static final Duration RECENT = Duration.ofMinutes(15);

  private final SignIn signIn;
  private final OpenPage.Shared shared;

  AccountPage(SignIn signIn, OpenPage.Shared shared) {
    this.signIn = signIn;
    this.shared = shared;
  }

  List<Route> routes(SignInPage pages) {
    return List.of(
        pages.page(PATH, this::show),
        pages.form(PATH + "/passkeys", this::add, this::show),
        pages.form(PATH + "/passkeys/rename", this::rename, this::show),
        pages.form(PATH + "/passkeys/remove", this::remove, this::show),
        pages.form(PATH + "/recovery-codes", this::newCodes, this::show),
        pages.form(PATH + "/sessions/end", this::end, this::show),
        pages.form(PATH + "/sessions/end-others", this::endOthers));
  }

  /**
   * The page; {@code console/account.jte}.
   *
   * @param state whether passkeys can be changed
   * @param provider the identity provider to which the person can change
   * @param codes how many recovery codes are left
   */
  public record View(
      Layout shell,
      String email,
      State state,
      Optional<String> provider,
      NewPasskey fresh,
      List<PasskeyRow> passkeys,
      int codes,
      List<SessionRow> sessions) {}

  /** Whether passkeys can be changed here, and why not. */
  public enum State {
    OPEN,
    /** The sign-in is too long ago. */
    OLD,
    /** People sign in at the identity provider alone. */
    PROVIDER,
    /** Browsers offer no passkeys at this address. */
    IMPOSSIBLE
  }

  /** What the browser gets to make a passkey, as JSON, and a name for it. */
  public record NewPasskey(String options, String name) {}

  /** A passkey; {@code used} is empty if it was never used, {@code id} is short for the page. */
  public record PasskeyRow(
      String id, String name, boolean synced, Formats.When made, List<Formats.When> used) {}

  /** A session. */
  public record SessionRow(
      String id,
      String device,
      boolean byProvider,
      boolean current,
      Formats.When begun,
      Formats.When used) {}

  private static Caller.Person person(OpenPage page) {
    return switch (page.caller()) {
      case Caller.Person person -> person;
      case Caller.Admin admin -> admin.person().orElseThrow();
      case Caller.Key _, Caller.Deploy _, Caller.Anonymous _ ->
          throw ProblemException.forbidden("Sign in to see your account.");
    };
  }

  private Account account(OpenPage page) {
    return signIn.accounts().find(person(page).accountId()).orElseThrow();
  }

  private static Origin origin(OpenPage page) {
    return page.request().origin();
  }

  private Response show(OpenPage page) {
    Account account = account(page);
    Caller.Person person = person(page);
    List<Sessions.Listed> sessions = signIn.sessions().list(account.id());
    List<Passkey> passkeys = signIn.second().factors().passkeys(account.id());
    State state = state(page, sessions);
    String options =
        state == State.OPEN
            ? Json.text(signIn.second().webAuthn().creation(person.sessionId(), account, passkeys))
            : "";
    return page.show(
        "console/account.jte",
        "Your account",
        shell ->
            new View(
                shell,
                account.email().value(),
                state,
                provider(page, sessions),
                new NewPasskey(options, SignInPage.device(page.request())),
                passkeys.stream().map(each -> row(each, page)).toList(),
                signIn.second().factors().codes(account.id()),
                sessions.stream().map(each -> row(each, person, page)).toList()));
  }

  private Optional<String> provider(OpenPage page, List<Sessions.Listed> sessions) {
    boolean used =
        sessions.stream()
            .filter(each -> each.id().equals(person(page).sessionId()))
            .anyMatch(Sessions.Listed::byProvider);
    return signIn.provider().filter(_ -> !used).map(OidcSignIn::name);
  }

  private State state(OpenPage page, List<Sessions.Listed> sessions) {
    if (!signIn.passwords()) {
      return State.PROVIDER;
    }
    if (!signIn.passkeys()) {
      return State.IMPOSSIBLE;
    }
    return sessions.stream()
            .filter(each -> each.id().equals(person(page).sessionId()))
            .anyMatch(each -> each.createdAt().plus(RECENT).isAfter(page.now()))
        ? State.OPEN
        : State.OLD;
  }

  private static PasskeyRow row(Passkey passkey, OpenPage page) {
    return new PasskeyRow(
        passkey.id(),
        passkey.name(),
        passkey.backupEligible(),
        page.when(passkey.createdAt().toString()),
        passkey.usedAt().map(at -> page.when(at.toString())).stream().toList());
  }

  private static SessionRow row(Sessions.Listed session, Caller.Person person, OpenPage page) {
    return new SessionRow(
        session.id(),
        session.device().isEmpty() ? "Unknown browser" : session.device(),
        session.byProvider(),
        session.id().equals(person.sessionId()),
        page.when(session.createdAt().toString()),
        page.when(session.usedAt().toString()));
  }

  private void demandRecent(OpenPage page) {
    State state = state(page, signIn.sessions().list(person(page).accountId()));
    if (state == State.OLD) {
      throw ProblemException.forbidden("Sign in again before you change how you sign in.");
    }
    if (state != State.OPEN) {
      throw ProblemException.conflict("Passkeys cannot be used here.", "no_passkeys");
    }
  }

  private Response add(OpenPage page) {
    demandRecent(page);
    List<String> codes =
        signIn
            .second()
            .manage()
            .register(
                origin(page),
                account(page),
                page.entered("credential"),
                person(page).sessionId(),
                page.entered("name"),
                false);
    return codes.isEmpty()
        ? OpenPage.done(PATH, FlashMessage.PASSKEY_ADDED)
        : SecondStepPage.codes(shared, codes, PATH);
  }

  private Response rename(OpenPage page) {
    signIn
        .second()
        .manage()
        .rename(origin(page), account(page), page.entered("id"), page.entered("name"));
    return OpenPage.done(PATH, FlashMessage.PASSKEY_RENAMED);
  }

  private Response remove(OpenPage page) {
    demandRecent(page);
    signIn.second().manage().remove(origin(page), account(page), page.entered("id"));
    return OpenPage.done(PATH, FlashMessage.PASSKEY_REMOVED);
  }

  private Response newCodes(OpenPage page) {
    demandRecent(page);
    return SecondStepPage.codes(
        shared, signIn.second().manage().replaceCodes(origin(page), account(page)), PATH);
  }

  private Response end(OpenPage page) {
    String id = page.entered("id");
    if (!signIn.sessions().endOwn(origin(page), person(page).accountId(), id)) {
      throw ProblemException.notFound(
          "This session has ended already.", "session_not_found", Map.of());
    }
    return OpenPage.done(PATH, FlashMessage.SESSION_ENDED);
  }

  private Response endOthers(OpenPage page) {
    Caller.Person person = person(page);
    signIn.sessions().endOthers(origin(page), person.accountId(), person.sessionId());
    return OpenPage.done(PATH, FlashMessage.SESSIONS_ENDED);
  }
}
