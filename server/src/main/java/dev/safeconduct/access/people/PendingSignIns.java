package dev.safeconduct.access.people;

import dev.safeconduct.access.MfaPolicy;
import dev.safeconduct.signing.LinkTokens;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Sign-ins that wait for their second step. A cookie names the person, and no session exists before
 * the step is done, so there is nothing that another page could open. The cookie is valid on every
 * node, until it expires or the password changes.
 */
public final class PendingSignIns {
  public static final String COOKIE = "safeconduct_second_step";
  public static final Duration LIFE = Duration.ofMinutes(10);

  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final Accounts accounts;
  private final SecondFactors factors;
  private final MfaPolicy policy;
  private final LinkTokens tokens;
  private final RandomGenerator random;
  private final InstantSource clock;

  public PendingSignIns(
      Accounts accounts,
      SecondFactors factors,
      MfaPolicy policy,
      LinkTokens tokens,
      RandomGenerator random,
      InstantSource clock) {
    this.accounts = accounts;
    this.factors = factors;
    this.policy = policy;
    this.tokens = tokens;
    this.random = random;
    this.clock = clock;
  }

  /**
   * A sign-in that waits.
   *
   * @param id names it; binds the browser's answers to it
   * @param registers whether the person has no passkey yet and must register one
   */
  public record Pending(String id, Account account, boolean registers) {}

  /** Returns whether {@code MFA_REQUIRED} demands a second factor of the person. */
  public boolean isRequired(Account account) {
    return switch (policy) {
      case FALSE -> false;
      case TRUE -> true;
      case ADMINS ->
          account.operator()
              || accounts.memberships(account.id(), false).stream()
                  .anyMatch(member -> member.role().administers());
    };
  }

  /** Returns the cookie of a sign-in that needs a second step; empty when it needs none. */
  Optional<String> begin(Account account) {
    if (!isRequired(account) && factors.passkeys(account.id()).isEmpty()) {
      return Optional.empty();
    }
    byte[] bytes = new byte[12];
    random.nextBytes(bytes);
    String id =
        account.id()
            + "."
            + clock.instant().plus(LIFE).toEpochMilli()
            + "."
            + BASE64.encodeToString(bytes);
    return Optional.of(tokens.make(id, state(account)));
  }

  /** Returns the sign-in of a browser with this cookie. */
  public Optional<Pending> open(String cookie) {
    return LinkTokens.id(cookie)
        .map(id -> id.split("\\.", -1))
        .filter(parts -> parts.length == 3 && parts[1].matches("[0-9]{1,15}"))
        .filter(parts -> clock.instant().isBefore(Instant.ofEpochMilli(Long.parseLong(parts[1]))))
        .flatMap(parts -> accounts.find(parts[0]).map(found -> pending(parts, found)))
        .filter(pending -> tokens.matches(cookie, pending.id(), state(pending.account())));
  }

  private Pending pending(String[] parts, Account account) {
    return new Pending(String.join(".", parts), account, factors.passkeys(account.id()).isEmpty());
  }

  private static String state(Account account) {
    return "v" + account.passwordVersion();
  }
}
