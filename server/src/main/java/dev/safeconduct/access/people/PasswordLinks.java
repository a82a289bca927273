package dev.safeconduct.access.people;

import dev.safeconduct.signing.LinkTokens;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Links by which a person sets their password. A link is valid until it expires or the password
 * changes. Its own use changes the password, so it works once.
 */
public final class PasswordLinks {
  /** The validity of a link that the person has just requested. */
  static final Duration RESET = Duration.ofHours(1);

  /** The validity of a link that the person may open a day or two later. */
  public static final Duration WELCOME = Duration.ofDays(3);

  private final Accounts accounts;
  private final LinkTokens tokens;
  private final String baseUrl;
  private final InstantSource clock;

  /**
   * @param baseUrl the service's public address, without a trailing slash
   */
  public PasswordLinks(Accounts accounts, LinkTokens tokens, String baseUrl, InstantSource clock) {
    this.accounts = accounts;
    this.tokens = tokens;
    this.baseUrl = baseUrl;
    this.clock = clock;
  }

  /** Returns a link for the person, valid for the given time. */
  public String make(Account account, Duration life) {
    String id = account.id() + "." + clock.instant().plus(life).toEpochMilli();
    return baseUrl + "/password/" + tokens.make(id, state(account));
  }

  /** Returns the token's person; empty when it is wrong, used or expired. */
  Optional<Account> open(String token) {
    Optional<String> id = LinkTokens.id(token);
    int dot = id.map(text -> text.indexOf('.')).orElse(-1);
    if (dot < 0) {
      return Optional.empty();
    }
    return expiry(id.get().substring(dot + 1))
        .filter(clock.instant()::isBefore)
        .flatMap(_ -> accounts.find(id.get().substring(0, dot)))
        .filter(account -> tokens.matches(token, id.get(), state(account)));
  }

  private static Optional<Instant> expiry(String text) {
    try {
      return Optional.of(Instant.ofEpochMilli(Long.parseLong(text)));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  private static String state(Account account) {
    return "v" + account.passwordVersion();
  }
}
