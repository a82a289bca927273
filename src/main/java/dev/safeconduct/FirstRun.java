package dev.safeconduct;

import dev.safeconduct.access.CreateKey;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.KeyRequest;
import dev.safeconduct.access.MintedKey;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.config.Secret;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.people.CreateOrganization;
import dev.safeconduct.people.Organization;
import dev.safeconduct.signing.Vault;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Optional;

/**
 * What an empty store needs before anybody can use it, and the secrets that are shown only once.
 */
final class FirstRun {
  private static final String ADMIN_TOKEN_HASH = "admin_token_sha256";
  private static final String CLAIM = "first_run";

  private final Vault vault;
  private final SecureRandom random;

  FirstRun(Vault vault, SecureRandom random) {
    this.vault = vault;
    this.random = random;
  }

  /**
   * The admin token's hash, and the token itself when it has just been made.
   *
   * @param made the new token; absent when it came from the environment or an earlier start
   */
  record AdminToken(KeyHash hash, Optional<String> made) {}

  /** The first organization and its key. */
  record Made(Organization organization, MintedKey key) {}

  /** A configured token wins; without one the stored hash does, or a new token is made. */
  AdminToken adminToken(Optional<Secret> configured) {
    if (configured.isPresent()) {
      return new AdminToken(KeyHash.of(configured.get().reveal()), Optional.empty());
    }
    Optional<byte[]> stored = vault.find(ADMIN_TOKEN_HASH);
    if (stored.isEmpty()) {
      byte[] bytes = new byte[32];
      random.nextBytes(bytes);
      String token = "sca_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      KeyHash hash = KeyHash.of(token);
      if (vault.putIfAbsent(ADMIN_TOKEN_HASH, hash.bytes())) {
        return new AdminToken(hash, Optional.of(token));
      }
      stored = vault.find(ADMIN_TOKEN_HASH);
    }
    return new AdminToken(KeyHash.stored(stored.orElseThrow()), Optional.empty());
  }

  /** Makes the first organization with a key of all scopes; only one node, only once. */
  Optional<Made> organization(CreateOrganization createOrganization, CreateKey createKey) {
    if (!vault.putIfAbsent(CLAIM, "done".getBytes(StandardCharsets.UTF_8))) {
      return Optional.empty();
    }
    Origin origin = new Origin(new Caller.Admin(), "", "first-run");
    Organization organization = createOrganization.run(origin, "My organization");
    MintedKey key =
        createKey.grant(
            origin,
            organization.id(),
            new KeyRequest(
                "First key", EnumSet.allOf(Scope.class), Optional.empty(), Optional.empty()));
    return Optional.of(new Made(organization, key));
  }
}
