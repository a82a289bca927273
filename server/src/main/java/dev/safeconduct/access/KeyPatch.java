package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.Members;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * The requested changes of an API key. An absent part stays as it is.
 *
 * @param setsExpiry whether the expiry changes: to {@code expiresAt}, or to none when that is empty
 */
record KeyPatch(
    Optional<String> name,
    Optional<Set<Scope>> scopes,
    boolean setsExpiry,
    Optional<Instant> expiresAt,
    Optional<AllowedSources> sources) {
  private static final Set<String> MEMBERS =
      Set.of("name", "scopes", "expires_at", AllowedSources.MEMBER);

  /** Reads the body; {@code "expires_at": null} removes the expiry. */
  static KeyPatch parse(Members body) {
    body.only(MEMBERS);
    var patch =
        new KeyPatch(
            body.line("name", KeyRequest.MAX_NAME),
            KeyRequest.scopes(body),
            body.object().get("expires_at") == JsonNull.NULL || body.has("expires_at"),
            body.instant("expires_at"),
            AllowedSources.of(body));
    if (patch.name.isEmpty()
        && patch.scopes.isEmpty()
        && !patch.setsExpiry
        && patch.sources.isEmpty()) {
      throw ProblemException.invalid(
          "Send what is to change: name, scopes, expires_at or " + AllowedSources.MEMBER + ".");
    }
    return patch;
  }

  /** Returns the key with the changes. */
  ApiKey applied(ApiKey key) {
    return new ApiKey(
        key.id(),
        key.org(),
        name.orElse(key.name()),
        scopes.orElse(key.scopes()),
        key.boundTo(),
        sources.orElse(key.sources()),
        key.hash(),
        key.hint(),
        key.createdAt(),
        key.createdBy(),
        setsExpiry ? expiresAt : key.expiresAt(),
        key.revokedAt(),
        key.lastUsedAt());
  }
}
