package dev.safeconduct.webhook;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Generates webhook secrets, and encrypts them under the master key for storage. The webhook's id
 * is bound to the ciphertext, so a row copied to another webhook cannot be decrypted.
 */
public final class SecretSeal {
  private static final Logger LOG = LoggerFactory.getLogger(SecretSeal.class);

  private static final int FINGERPRINT_BYTES = 16;

  private final MasterKey master;
  private final RandomGenerator random;

  /** {@code random}: cryptographically strong and safe for any number of threads. */
  public SecretSeal(MasterKey master, RandomGenerator random) {
    this.master = master;
    this.random = random;
  }

  WebhookSecret newSecret() {
    return WebhookSecret.make(random);
  }

  byte[] seal(String webhookId, SecretSet secrets) {
    var list = new ArrayList<JsonValue>();
    for (SecretSet.Held held : secrets.secrets()) {
      list.add(
          JsonObject.builder()
              .put("secret", held.secret().text())
              .putIfPresent("until", held.until().map(IsoInstant::millis))
              .build());
    }
    return master.seal(label(webhookId), Json.bytes(new JsonArray(list)));
  }

  /** Decrypts the result of {@link #seal}; empty, with a log line, if the row was altered. */
  Optional<SecretSet> open(String webhookId, byte[] sealed) {
    try {
      var secrets = new ArrayList<SecretSet.Held>();
      for (JsonValue each : (JsonArray) Json.parse(master.open(label(webhookId), sealed))) {
        JsonObject held = (JsonObject) each;
        secrets.add(
            new SecretSet.Held(
                new WebhookSecret(held.string("secret").orElseThrow()),
                held.string("until").map(text -> IsoInstant.parse(text).orElseThrow())));
      }
      return Optional.of(new SecretSet(secrets));
    } catch (WrongMasterKeyException | JsonFault e) {
      LOG.error("the secrets of webhook {} cannot be decrypted", webhookId, e);
      return Optional.empty();
    }
  }

  /** Returns what tells secrets apart, and says nothing about them without the master key. */
  String fingerprint(WebhookSecret secret) {
    return HexFormat.of()
        .formatHex(master.derive("webhook-secret:" + secret.text()), 0, FINGERPRINT_BYTES);
  }

  private static String label(String webhookId) {
    return "webhook:" + webhookId;
  }
}
