package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.Optional;

/**
 * Changes an API key: its name, its expiry and the addresses that may use it. Its scopes can only
 * become fewer. A caller that has every scope of the key may lengthen its life and permit more
 * addresses, as it could by creating another key: no further than its own key reaches. The key
 * itself may not.
 */
public final class UpdateKey {
  private final ApiKeys keys;
  private final Directory directory;
  private final Recorder recorder;

  public UpdateKey(ApiKeys keys, Directory directory, Recorder recorder) {
    this.keys = keys;
    this.directory = directory;
    this.recorder = recorder;
  }

  /**
   * Changes the key, at once on every node.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for a key of another organization, 400 for a
   *     scope that the key lacks or an expiry that has passed, 403 for a setup key and for a caller
   *     that is the key itself, lacks a scope of it or has a narrower key, and would lengthen its
   *     life or permit more addresses, 409 for a key that is no longer usable
   */
  ApiKey run(Origin origin, OrgId org, String keyId, KeyPatch patch) {
    Rights rights = Rights.of(origin.caller());
    rights.demandUnbound();
    directory.within(rights, org.value());
    Instant now = recorder.now();
    if (patch.expiresAt().filter(end -> !end.isAfter(now)).isPresent()) {
      throw ProblemException.invalid("expires_at", "expires_at must lie in the future.");
    }
    KeyBounds bounds = KeyBounds.of(origin.caller(), keys);
    return keys.update(
            org,
            keyId,
            before -> {
              ApiKey after = patch.applied(before);
              before.demandUsable(now);
              demandNarrower(before, after);
              if (outlives(after, before) || !before.sources().cover(after.sources())) {
                demandOther(origin.caller(), keyId);
                after.scopes().forEach(rights::demand);
                bounds.demandWithin(after.expiresAt(), after.sources());
              }
              return after;
            },
            after ->
                recorder.write(RecordKind.KEY_UPDATED, org, now, origin, KeyShape.recorded(after)))
        .orElseThrow(() -> NotFoundProblems.key(keyId));
  }

  private static void demandOther(Caller caller, String keyId) {
    if (caller instanceof Caller.Key key && key.keyId().equals(keyId)) {
      throw ProblemException.forbidden(
          "A key cannot lengthen its own life or permit itself more addresses; a person or"
              + " another key with its scopes can.");
    }
  }

  private static void demandNarrower(ApiKey before, ApiKey after) {
    Optional<Scope> added =
        after.scopes().stream().filter(scope -> !before.scopes().contains(scope)).findFirst();
    if (added.isPresent()) {
      throw ProblemException.invalid(
          "scopes",
          "scopes can only become fewer, and the key lacks "
              + added.get().wire()
              + "; create another key.");
    }
  }

  private static boolean outlives(ApiKey after, ApiKey before) {
    return before.expiresAt().isPresent()
        && (after.expiresAt().isEmpty()
            || after.expiresAt().get().isAfter(before.expiresAt().get()));
  }
}
