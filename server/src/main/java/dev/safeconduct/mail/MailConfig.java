package dev.safeconduct.mail;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * How emails are sent.
 *
 * @param smtp the server; without one, emails are written into a folder
 * @param from the sender: an address, or a name with an address in angle brackets
 */
public record MailConfig(Optional<Smtp> smtp, String from) {
  private static final String DEFAULT_FROM = "Safeconduct <safeconduct@localhost>";

  /** Whether a plain connection is changed to TLS by STARTTLS (RFC 3207). */
  public enum StartTls {
    /** Never: for a server on the same machine. */
    NEVER,
    /** When the server offers it. */
    OPTIONAL,
    /** Always; without STARTTLS no email is sent. */
    REQUIRED
  }

  /**
   * A mail server.
   *
   * @param tls whether TLS starts before any SMTP (RFC 8314)
   * @param login the user's name; present together with the password
   */
  public record Smtp(
      String host,
      int port,
      boolean tls,
      StartTls startTls,
      Optional<String> login,
      Optional<Secret> password) {}

  /** Reads SMTP_URL and MAIL_FROM; faults are recorded in {@code env}. */
  public static MailConfig from(Env env) {
    Optional<Smtp> smtp = env.secret("SMTP_URL", 1).flatMap(url -> smtp(env, url.reveal()));
    Optional<String> from = env.string("MAIL_FROM");
    from.filter(text -> !isAddress(text))
        .ifPresent(_ -> env.fault("MAIL_FROM", "must be an address, or a name and <an address>"));
    if (smtp.isPresent() && from.isEmpty()) {
      env.fault("MAIL_FROM", "must be set as well with SMTP_URL");
    }
    return new MailConfig(smtp, from.filter(MailConfig::isAddress).orElse(DEFAULT_FROM));
  }

  private static Optional<Smtp> smtp(Env env, String text) {
    try {
      URI url = URI.create(text);
      String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
      boolean tls = scheme.equals("smtps");
      if ((tls || scheme.equals("smtp")) && url.getHost() != null) {
        String[] user =
            url.getRawUserInfo() == null ? new String[0] : url.getRawUserInfo().split(":", 2);
        Optional<StartTls> startTls = startTls(url, user.length > 0);
        if (user.length != 1 && startTls.isPresent() && url.getRawFragment() == null) {
          return Optional.of(
              new Smtp(
                  url.getHost(),
                  url.getPort() >= 0 ? url.getPort() : tls ? 465 : 587,
                  tls,
                  startTls.get(),
                  user.length == 0 ? Optional.empty() : Optional.of(decoded(user[0])),
                  user.length == 0 ? Optional.empty() : Optional.of(new Secret(decoded(user[1])))));
        }
      }
    } catch (IllegalArgumentException _) {
      // Falls through: any text that is not a valid address gets the same message, without the
      // text.
    }
    env.fault(
        "SMTP_URL",
        "must be smtp:// or smtps://, with user:password@ if the server wants them, host and port,"
            + " and at most ?starttls=never, optional or required");
    return Optional.empty();
  }

  /** Sends a password over a plain connection only when the operator has allowed it. */
  private static Optional<StartTls> startTls(URI url, boolean hasLogin) {
    String query = url.getRawQuery();
    if (query == null) {
      return Optional.of(hasLogin ? StartTls.REQUIRED : StartTls.OPTIONAL);
    }
    return switch (query) {
      case "starttls=never" -> Optional.of(StartTls.NEVER);
      case "starttls=optional" -> Optional.of(StartTls.OPTIONAL);
      case "starttls=required" -> Optional.of(StartTls.REQUIRED);
      default -> Optional.empty();
    };
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static boolean isAddress(String text) {
    try {
      var address = new InternetAddress(text, true);
      address.validate();
      return address.getAddress().indexOf('@') > 0;
    } catch (AddressException _) {
      return false;
    }
  }
}
