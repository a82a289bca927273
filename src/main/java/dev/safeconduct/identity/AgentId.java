package dev.safeconduct.identity;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An agent's id. Hosted passports have {@code ap_} and 32 lower-case hex digits, or the id they
 * were brought over with; a passport in a request body may carry any text of 1 to 128 characters.
 */
public record AgentId(String value) {
  public static final int MAX_LENGTH = 128;

  private static final Pattern HOSTED = Pattern.compile("[A-Za-z0-9_-]{1,128}");
  private static final Pattern UUID =
      Pattern.compile(
          "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}");

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
    if (UUID.matcher(text).matches()) {
      return Optional.of(new AgentId("ap_" + text.replace("-", "").toLowerCase(Locale.ROOT)));
    }
    return HOSTED.matcher(text).matches() ? Optional.of(new AgentId(text)) : Optional.empty();
  }

  @Override
  public String toString() {
    return value;
  }
}
