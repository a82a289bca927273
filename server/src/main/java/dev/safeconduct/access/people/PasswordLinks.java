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
    return LinkTokens.id(token)
        .map(id -> id.split("\\.", -1))
        .filter(parts -> parts.length == 2 && parts[1].matches("[0-9]{1,15}"))
        .filter(parts -> clock.instant().isBefore(Instant.ofEpochMilli(Long.parseLong(parts[1]))))
        .flatMap(parts -> accounts.find(parts[0]))
        .filter(
            account -> tokens.matches(token, LinkTokens.id(token).orElseThrow(), state(account)));
  }

  private static String state(Account account) {
    return "v" + account.passwordVersion();
  }
}
