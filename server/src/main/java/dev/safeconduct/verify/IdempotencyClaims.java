package dev.safeconduct.verify;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonValue;
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
import java.util.BitSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
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
            JsonObject whole = request.sent().whole();
            mac.update(CanonicalJson.bytes(whole));
            var rounded = new BitSet();
            int _ = mark(whole, 0, rounded);
            byte[] same = mac.doFinal(rounded.toByteArray());
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

  /**
   * Marks the numbers that canonical JSON writes as another value is written, by their place among
   * the values, whatever the order of members.
   *
   * @param place the value's own
   * @return the place of the next value
   */
  private static int mark(JsonValue value, int place, BitSet rounded) {
    int next = place + 1;
    switch (value) {
      case JsonObject object -> {
        for (String name : new TreeSet<>(object.names())) {
          next = mark(Objects.requireNonNull(object.get(name)), next, rounded);
        }
      }
      case JsonArray array -> {
        for (JsonValue each : array) {
          next = mark(each, next, rounded);
        }
      }
      case JsonOverflow _ -> rounded.set(place);
      case JsonNumber number -> rounded.set(place, number.rounded());
      default -> {}
    }
    return next;
  }
}
