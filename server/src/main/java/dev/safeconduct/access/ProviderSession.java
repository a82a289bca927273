package dev.safeconduct.access;

import java.util.Optional;

/**
 * The session at an identity provider with which a session here began.
 *
 * @param session the provider's id of it ({@code sid}), if it has one
 * @param idToken sealed, in base64; it goes back to the provider when the person signs out
 */
public record ProviderSession(
    String issuer, String subject, Optional<String> session, String idToken) {
  @Override
  public String toString() {
    return "ProviderSession[hidden]";
  }
}
