package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Creates an API key. Callers cannot grant a scope they lack, and an API key creates none that is
 * valid for longer or from more addresses than itself.
 */
public final class CreateKey {
  private final ApiKeys keys;
  private final Directory directory;
  private final Recorder recorder;
  private final Cell cell;
  private final RandomGenerator random;

  /**
   * @param cell the cell that new keys name
   * @param random the source of keys: cryptographically strong and thread-safe
   */
  public CreateKey(
      ApiKeys keys, Directory directory, Recorder recorder, Cell cell, RandomGenerator random) {
    this.keys = keys;
    this.directory = directory;
    this.recorder = recorder;
    this.cell = cell;
    this.random = random;
  }

  /**
   * Creates the key in the organization.
   *
   * @throws dev.safeconduct.error.ProblemException 403 for a scope the caller lacks, for an expiry
   *     or addresses beyond those of the caller's key, and for a setup key, 404 for another
   *     organization or its passport, 400 for an expiry that has passed
   */
  public MintedKey run(Origin origin, OrgId org, KeyRequest request) {
    Rights rights = Rights.of(origin.caller());
    rights.demandUnbound();
    directory.within(rights, org.value());
    for (Scope scope : request.scopes()) {
      if (!rights.scopes().contains(scope)) {
        throw ProblemException.forbidden(
            "A key cannot be given the scope " + scope.wire() + ", which its maker lacks.");
      }
    }
    KeyBounds.of(origin.caller(), keys).demandWithin(request.expiresAt(), request.sources());
    if (request.boundTo().isPresent() && !directory.owns(org, request.boundTo().get())) {
      throw NotFoundProblems.passport(request.boundTo().get());
    }
    return grant(origin, org, request);
  }

  /**
   * Creates the key on the service's own behalf, for a passport it has just issued. No caller's
   * scopes limit it.
   */
  public MintedKey grant(Origin origin, OrgId org, KeyRequest request) {
    Prepared prepared = prepare(origin, org, request);
    keys.create(prepared.minted().key(), prepared.entry());
    return prepared.minted();
  }

  /** A new key that is not stored yet, with its record. */
  public record Prepared(MintedKey minted, AuditRecord entry) {}

  /**
   * Creates the key for callers that store it together with other data; see {@link #grant}.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for an expiry that has passed
   */
  public Prepared prepare(Origin origin, OrgId org, KeyRequest request) {
    Instant now = recorder.now();
    if (request.expiresAt().isPresent() && !request.expiresAt().get().isAfter(now)) {
      throw ProblemException.invalid("expires_at", "expires_at must lie in the future.");
    }
    String text = KeyText.make(cell, random);
    ApiKey key = key("key_" + recorder.nextHex(), org, request, text, now, origin.caller());
    return new Prepared(
        new MintedKey(key, text),
        recorder.write(RecordKind.KEY_CREATED, org, now, origin, KeyShape.recorded(key)));
  }

  static ApiKey key(
      String id, OrgId org, KeyRequest request, String text, Instant now, Caller maker) {
    return new ApiKey(
        id,
        org,
        request.name(),
        request.scopes(),
        request.boundTo(),
        request.sources(),
        KeyHash.of(text),
        KeyText.hint(text),
        now,
        Optional.of(maker.name()),
        request.expiresAt(),
        Optional.empty(),
        Optional.empty());
  }
}
