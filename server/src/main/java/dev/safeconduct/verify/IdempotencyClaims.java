package dev.safeconduct.verify;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.IdempotencyClaim;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Converts an idempotency key to a claim, which the ledger compares without knowing its contents.
 */
public final class IdempotencyClaims {
  private static final Duration KEPT = Duration.ofHours(24);

  private static final byte[] RESERVE = {'r', 0};
  private static final byte[] OBSERVED = {'o', 0};
  private static final byte[] HALTED = {'h', 0};

  private final SecretKeySpec key;

  private final IntSupplier revokedKeys;

  /**
   * @param key 32 bytes, the same on every node
   * @param revokedKeys the number of revoked decision keys; a decision signed by a revoked key is
   *     not replayed
   */
  public IdempotencyClaims(byte[] key, IntSupplier revokedKeys) {
    this.key = new SecretKeySpec(key, "HmacSHA256");
    this.revokedKeys = revokedKeys;
  }

  Optional<IdempotencyClaim> of(VerifyRequest request, EvaluationInput input) {
    Subject subject = input.subject();
    PolicyPack pack = input.policy().pack();
    Instant now = input.at();
    return request
        .idempotencyKey()
        .map(text -> {
          try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            mac.update(subject.agentId().getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            mac.update(pack.id().value().getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            if (request.reserve()) {
              mac.update(RESERVE); // a request with a reservation differs from one without
            }
            // Canonical JSON writes such a number as another value is written.
            JsonOverflow.placeOfRounded(request.sent().whole())
                .ifPresent(place -> mac.update(place.getBytes(StandardCharsets.UTF_8)));
            byte[] same = mac.doFinal(CanonicalJson.bytes(request.sent().whole()));
            MessageDigest basis = Sha256.begin();
            basis.update(subject.digest().getBytes(StandardCharsets.UTF_8));
            basis.update(pack.digest().getBytes(StandardCharsets.UTF_8));
            basis.update((byte) (subject.chain().active() ? 1 : 0));
            basis.update((byte) (subject.end().isAfter(now) ? 1 : 0));
            for (TemplateChain.Template template : subject.chain().templates()) {
              basis.update(template.digest().getBytes(StandardCharsets.UTF_8));
            }
            int revoked = revokedKeys.getAsInt();
            if (revoked > 0) {
              basis.update(ByteBuffer.allocate(Integer.BYTES).putInt(revoked).array());
            }
            if (input.controls().observe().isPresent()) {
              basis.update(OBSERVED); // no allow of observe mode is replayed after its end
            }
            if (input.controls().halt().isPresent()) {
              basis.update(HALTED); // no allow is replayed meanwhile
            }
            return new IdempotencyClaim(
                CounterKey.of("claim", subject.org().value(), request.caller().name(), text),
                same,
                basis.digest(),
                now.plus(KEPT).toEpochMilli());
          } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
          }
        });
  }
}
