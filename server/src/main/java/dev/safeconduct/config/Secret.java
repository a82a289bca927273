package dev.safeconduct.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** A setting that must never be printed. Comparison takes constant time. */
public final class Secret {
  private final String text;

  public Secret(String text) {
    this.text = text;
  }

  /** Returns the secret itself; for the code that uses it. */
  public String reveal() {
    return text;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Secret secret
        && MessageDigest.isEqual(
            text.getBytes(StandardCharsets.UTF_8), secret.text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return "Secret[hidden]";
  }
}
