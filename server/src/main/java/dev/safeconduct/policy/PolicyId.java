package dev.safeconduct.policy;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A policy pack's id: 1 to 128 characters of {@code A-Za-z0-9._-}, by convention ending in {@code
 * .v1}.
 */
public record PolicyId(String value) {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  public PolicyId {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException("a policy id has 1 to 128 of A-Za-z0-9._-");
    }
  }

  public static Optional<PolicyId> parse(String text) {
    return FORM.matcher(text).matches() ? Optional.of(new PolicyId(text)) : Optional.empty();
  }

  @Override
  public String toString() {
    return value;
  }
}
