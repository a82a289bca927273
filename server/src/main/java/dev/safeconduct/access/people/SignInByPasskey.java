package dev.safeconduct.access.people;

import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.SignInMethod;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.net.IpAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Signs people in by a passkey: instead of the password, or as the second step after it. A recovery
 * code does as the second step.
 *
 * <p>Tries are counted for each account and address, and for each address alone, as those of
 * passwords are.
 */
public final class SignInByPasskey {
  private static final int WIDER = 10;
  private static final String TOO_MANY = "Too many tries to sign in.";

  private final LogIn logIn;
  private final Accounts accounts;
  private final SecondFactors factors;
  private final WebAuthn webAuthn;
  private final ManageFactors manage;
  private final RateLimits limits;
  private final Recorder recorder;
  private final Rate perPair;
  private final Rate perAddress;

  /**
   * @param perMinute {@code RATE_LOGIN_PER_MINUTE}; 0 for no limit
   */
  public SignInByPasskey(
      LogIn logIn,
      Accounts accounts,
      SecondFactors factors,
      WebAuthn webAuthn,
      ManageFactors manage,
      RateLimits limits,
      Recorder recorder,
      int perMinute) {
    this.logIn = logIn;
    this.accounts = accounts;
    this.factors = factors;
    this.webAuthn = webAuthn;
    this.manage = manage;
    this.limits = limits;
    this.recorder = recorder;
    Duration minute = Duration.ofMinutes(1);
    this.perPair = new Rate("second-factor", perMinute, minute);
    this.perAddress = new Rate("second-factor-address", perMinute * WIDER, minute);
  }

  /** A session, and the recovery codes to show once. */
  public record Registered(StartSession.Started started, List<String> codes) {
    @Override
    public String toString() {
      return "Registered[hidden]";
    }
  }

  /**
   * Signs in the person whom the passkey names. The authenticator must have verified them, so this
   * counts as two factors.
   *
   * @param binding names the browser that got the options
   */
  public StartSession.Started alone(Origin sent, String json, String binding, String device) {
    Origin origin = anonymous(sent);
    var named = new AtomicReference<Optional<Passkey>>(Optional.empty());
    try {
      return counted(
          origin,
          Optional.empty(),
          () ->
              started(
                  origin,
                  webAuthn.signIn(
                      json,
                      binding,
                      Optional.empty(),
                      id -> {
                        named.set(factors.passkey(id));
                        return named.get();
                      }),
                  SignInMethod.strong("passkey", device)));
    } catch (ProblemException e) {
      named
          .get()
          .flatMap(passkey -> accounts.find(passkey.accountId()))
          .ifPresent(account -> logIn.noteFailure(origin, account));
      throw e;
    }
  }

  /** Finishes a sign-in with a passkey of the person who has proved their password. */
  public StartSession.Started second(
      Origin sent, PendingSignIns.Pending pending, String json, String device) {
    Origin origin = anonymous(sent);
    return counted(
        origin,
        Optional.of(pending.account()),
        () ->
            started(
                origin,
                webAuthn.signIn(
                    json, pending.id(), Optional.of(pending.account().id()), factors::passkey),
                SignInMethod.strong("password_and_passkey", device)));
  }

  /** Finishes a sign-in with a recovery code, which is used up. */
  public StartSession.Started byCode(
      Origin sent, PendingSignIns.Pending pending, String code, String device) {
    Origin origin = anonymous(sent);
    Account account = pending.account();
    return counted(
        origin,
        Optional.of(account),
        () -> {
          // Refused without a code being lost.
          logIn.place(account, Optional.empty());
          if (!manage.useCode(origin, account, code)) {
            throw ProblemException.unauthorized(
                "This is not one of your recovery codes, or it was used before.");
          }
          return logIn.start(
              origin, account, SignInMethod.strong("password_and_recovery_code", device));
        });
  }

  /** Finishes a sign-in by registering the passkey that the person must have and has not. */
  public Registered register(
      Origin sent, PendingSignIns.Pending pending, String json, String name, String device) {
    Origin origin = anonymous(sent);
    Account account = pending.account();
    return counted(
        origin,
        Optional.of(account),
        () -> {
          logIn.place(account, Optional.empty());
          List<String> codes = manage.register(origin, account, json, pending.id(), name, true);
          return new Registered(
              logIn.start(origin, account, SignInMethod.strong("password_and_passkey", device)),
              codes);
        });
  }

  private StartSession.Started started(
      Origin origin, WebAuthn.Asserted asserted, SignInMethod method) {
    Account account = accounts.find(asserted.passkey().accountId()).orElseThrow();
    if (!factors.use(
        asserted.passkey(), asserted.signCount(), asserted.challenge(), recorder.now())) {
      throw WebAuthn.copied();
    }
    return logIn.start(origin, account, method);
  }

  private <T> T counted(Origin origin, Optional<Account> account, Supplier<T> step) {
    String address = IpAddress.network(origin.address());
    Optional<String> pair = account.map(known -> known.id() + " " + address);
    pair.ifPresent(key -> limits.demand(perPair, key, TOO_MANY));
    limits.demand(perAddress, address, TOO_MANY);
    T done;
    try {
      done = step.get();
    } catch (ProblemException e) {
      account.ifPresent(known -> logIn.noteFailure(origin, known));
      throw e;
    }
    pair.ifPresent(key -> limits.giveBack(perPair, key));
    limits.giveBack(perAddress, address);
    return done;
  }

  /** Whoever used this browser before is not the caller of this sign-in. */
  static Origin anonymous(Origin sent) {
    return new Origin(new Caller.Anonymous(), sent.address(), sent.requestId());
  }
}
