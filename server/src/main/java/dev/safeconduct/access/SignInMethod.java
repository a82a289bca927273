package dev.safeconduct.access;

import java.util.Optional;

/**
 * How a person has signed in.
 *
 * @param name the method, for the record
 * @param device the browser and its system, in words
 * @param secondFactor whether they proved to have a passkey or a recovery code
 * @param provider the session at an identity provider with which this one begins
 */
public record SignInMethod(
    String name, String device, boolean secondFactor, Optional<ProviderSession> provider) {
  /** Returns a method with one factor. */
  public static SignInMethod of(String name, String device) {
    return new SignInMethod(name, device, false, Optional.empty());
  }

  /** Returns a method that counts as two factors. */
  public static SignInMethod strong(String name, String device) {
    return new SignInMethod(name, device, true, Optional.empty());
  }
}
