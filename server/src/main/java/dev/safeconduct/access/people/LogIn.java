package dev.safeconduct.access.people;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.SignInMethod;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.net.IpAddress;
import dev.safeconduct.signing.PasswordHash;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Signs a person in by their password. An address without an account takes the same time and gets
 * the same response as a wrong password.
 *
 * <p>Attempts are counted for each pair of account and address. Ten times as many are allowed for
 * each account and for each address alone. This slows guessing of one account from many addresses
 * and of many accounts from one. A single address cannot lock out the owner of an account.
 */
public final class LogIn {
  private static final int WIDER = 10;

  private final Accounts accounts;
  private final Organizations organizations;
  private final PasswordHash passwords;
  private final StartSession startSession;
  private final RateLimits limits;
  private final FailedLogins failed;
  private final PendingSignIns pending;
  private final Rate perPair;
  private final Rate perAccount;
  private final Rate perAddress;

  /**
   * @param perMinute {@code RATE_LOGIN_PER_MINUTE}; 0 for no limit
   */
  public LogIn(
      Accounts accounts,
      Organizations organizations,
      PasswordHash passwords,
      StartSession startSession,
      RateLimits limits,
      FailedLogins failed,
      PendingSignIns pending,
      int perMinute) {
    this.accounts = accounts;
    this.organizations = organizations;
    this.passwords = passwords;
    this.startSession = startSession;
    this.limits = limits;
    this.failed = failed;
    this.pending = pending;
    Duration minute = Duration.ofMinutes(1);
    this.perPair = new Rate("login", perMinute, minute);
    this.perAccount = new Rate("login-account", perMinute * WIDER, minute);
    this.perAddress = new Rate("login-address", perMinute * WIDER, minute);
  }

  /**
   * Returns the new session, in the named organization or else in the person's oldest (an
   * operator's in the first), or the second step that the person must take first.
   *
   * @throws dev.safeconduct.error.ProblemException 401 for a wrong address or password, 429 after
   *     too many tries, 403 for a person without organization, 404 for one that is not theirs
   */
  public SignInResult run(Origin sent, Attempt attempt) {
    Origin origin = SignInByPasskey.anonymous(sent);
    String who = attempt.email().map(EmailAddress::value).orElse("");
    String address = IpAddress.network(origin.address());
    String pair = who + " " + address;
    String tooMany = "Too many tries to sign in.";
    limits.demand(perPair, pair, tooMany);
    limits.demand(perAddress, address, tooMany);
    limits.demand(perAccount, who, tooMany);
    Optional<Account> account = attempt.email().flatMap(accounts::byEmail);
    if (!matches(account.flatMap(Account::password), attempt.password())) {
      account.ifPresent(found -> failed.note(origin, found));
      throw ProblemException.unauthorized("The email address or the password is wrong.");
    }
    limits.giveBack(perPair, pair);
    limits.giveBack(perAddress, address);
    limits.giveBack(perAccount, who);
    Account found = account.orElseThrow();
    return enter(
        origin, found, place(found, attempt.org()), SignInMethod.of("password", attempt.device()));
  }

  /**
   * Returns the session of a person who has proved one factor, or their second step, which is
   * recorded by the method: a password that is right and a step that never follows is a stolen
   * password.
   */
  public SignInResult enter(Origin origin, Account account, OrgId org, SignInMethod method) {
    Optional<String> second = pending.begin(account);
    second.ifPresent(_ -> failed.noteFirstStep(origin, account, method));
    return second
        .<SignInResult>map(SignInResult.SecondStep::new)
        .orElseGet(
            () -> new SignInResult.Complete(startSession.run(origin, account.id(), org, method)));
  }

  /** Starts the session of a person who has proved two factors, in {@link Organizations#home}. */
  StartSession.Started start(Origin origin, Account account, SignInMethod method) {
    return startSession.run(origin, account.id(), place(account, Optional.empty()), method);
  }

  public StartSession sessions() {
    return startSession;
  }

  /** Records a failed login of an account by another method. */
  void noteFailure(Origin origin, Account account) {
    failed.note(origin, account);
  }

  /** A login request; {@code device} is its browser in words. */
  public record Attempt(
      Optional<EmailAddress> email, String password, Optional<String> org, String device) {
    @Override
    public String toString() {
      return "Attempt[hidden]";
    }
  }

  private boolean matches(Optional<String> hash, String password) {
    try {
      return passwords.matches(hash, password);
    } catch (PasswordHash.Busy e) {
      throw busy();
    }
  }

  static ProblemException busy() {
    return ProblemException.unavailable("Too many people are signing in; try again.", 2);
  }

  /** Returns the organization in which a person will act who signs in by a password or its link. */
  public OrgId place(Account account, Optional<String> named) {
    return place(account, named, false);
  }

  /**
   * Returns the organization the person will act in.
   *
   * @param byProvider whether they signed in at the identity provider
   */
  public OrgId place(Account account, Optional<String> named, boolean byProvider) {
    List<Member> places = accounts.memberships(account.id(), byProvider);
    if (named.isPresent()) {
      return places.stream()
          .map(Member::org)
          .filter(org -> org.value().equals(named.get()))
          .findFirst()
          .orElseThrow(() -> NotFoundProblems.organization(named.get()));
    }
    return organizations
        .home(account, places)
        .orElseThrow(() ->
            ProblemException.forbidden(
                "Your account belongs to no organization; ask for an invitation."));
  }
}
