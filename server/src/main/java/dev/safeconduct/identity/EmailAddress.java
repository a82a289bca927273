package dev.safeconduct.identity;

import java.net.IDN;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A mailbox (RFC 5321 section 4.1.2, without quoted names and address literals), in lower case, its
 * domain in ASCII. Different spellings of one mailbox are equal.
 */
public record EmailAddress(String value) {
  public static final int MAX_LENGTH = 254;

  /**
   * The end of a placeholder: no mailbox has such an address (RFC 6761 section 6.4), so it is not
   * valid as an input.
   */
  public static final String NOBODY = "@unverified.invalid";

  private static final Pattern LOCAL =
      Pattern.compile("[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*");
  private static final Pattern DOMAIN =
      Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");

  /**
   * Characters that IDNA 2003, as Java has it, replaces or drops, and IDNA 2008 keeps: the domain
   * would be another one, of another owner (UTS 46 section 2.3). Its ASCII form is accepted.
   */
  private static final Pattern AMBIGUOUS = Pattern.compile("[\u00df\u03c2\u200c\u200d]");

  private static final int MAX_LOCAL = 64;

  /** Returns the address in the text; empty when it is not a valid address. */
  public static Optional<EmailAddress> parse(String text) {
    String stripped = text.strip();
    int at = stripped.lastIndexOf('@');
    if (at < 1 || at > MAX_LOCAL || stripped.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String local = stripped.substring(0, at);
    String domain = ascii(stripped.substring(at + 1));
    String whole = local.toLowerCase(Locale.ROOT) + "@" + domain;
    return LOCAL.matcher(local).matches()
            && DOMAIN.matcher(domain).matches()
            && whole.length() <= MAX_LENGTH
            && !whole.endsWith(NOBODY)
        ? Optional.of(new EmailAddress(whole))
        : Optional.empty();
  }

  /** Returns the mailbox without {@code +anything}: most servers deliver all such forms to it. */
  public String mailbox() {
    int plus = value.indexOf('+');
    int at = value.lastIndexOf('@');
    return plus > 0 && plus < at ? value.substring(0, plus) + value.substring(at) : value;
  }

  private static String ascii(String domain) {
    if (AMBIGUOUS.matcher(domain).find()) {
      return "";
    }
    try {
      return IDN.toASCII(domain, IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException _) {
      return "";
    }
  }

  /** Leaves out the address: it is personal data that logs do not need. */
  @Override
  public String toString() {
    return "EmailAddress[hidden]";
  }
}
