package dev.safeconduct.identity;

import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * An agent's id. Hosted passports have {@code ap_} and 32 lower-case hex digits, or the id they
 * were brought over with; a passport in a request body may carry any text of 1 to 128 characters.
 */
public record AgentId(String value) {
  public static final int MAX_LENGTH = 128;

  public AgentId {
    if (value.isEmpty() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("an agent id has 1 to 128 characters");
    }
  }

  /**
   * The hosted agent the text names, the UUID form folded to {@code ap_}; empty if it cannot be
   * one.
   */
  public static Optional<AgentId> hosted(String text) {
    if (isUuid(text)) {
      return Optional.of(new AgentId("ap_" + text.replace("-", "").toLowerCase(Locale.ROOT)));
    }
    return fits(text) ? Optional.of(new AgentId(text)) : Optional.empty();
  }

  /** {@code [A-Za-z0-9_-]{1,128}}; by hand, as every request asks. */
  private static boolean fits(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= MAX_LENGTH;
  }

  /** Hex digits in groups of 8, 4, 4, 4 and 12. */
  private static boolean isUuid(String text) {
    if (text.length() != 36) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (dash ? c != '-' : !HexFormat.isHexDigit(c)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return value;
  }
}
