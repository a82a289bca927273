package dev.safeconduct.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class SecretSetTest {
  private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private static WebhookSecret secret(String text) {
    return new WebhookSecret(text);
  }

  @Test
  void anOldSecretSignsUntilItsTimeIsUp() {
    SecretSet set = SecretSet.of(secret("a")).rotated(secret("b"), NOW, NOW.plus(HOUR));
    assertThat(set.at(NOW)).containsExactly(secret("b"), secret("a"));
    assertThat(set.at(NOW.plus(HOUR).minusMillis(1))).hasSize(2);
    assertThat(set.at(NOW.plus(HOUR))).containsExactly(secret("b"));
    assertThat(set.overlapEndsAt()).contains(NOW.plus(HOUR));
  }

  @Test
  void rotatingAgainNeverGivesAnOldSecretMoreTime() {
    SecretSet set =
        SecretSet.of(secret("a"))
            .rotated(secret("b"), NOW, NOW.plus(HOUR))
            .rotated(secret("c"), NOW, NOW.plus(HOUR.multipliedBy(9)));
    assertThat(set.at(NOW)).containsExactly(secret("c"), secret("b"), secret("a"));
    assertThat(set.at(NOW.plus(HOUR))).containsExactly(secret("c"), secret("b"));
  }

  @Test
  void withoutOverlapTheOldSecretIsForgotten() {
    SecretSet set = SecretSet.of(secret("a")).rotated(secret("b"), NOW, NOW);
    assertThat(set.secrets()).hasSize(1);
    assertThat(set.overlapEndsAt()).isEmpty();
  }

  @Test
  void onlySoManySignAtOnce() {
    SecretSet set = SecretSet.of(secret("0"));
    for (int i = 1; i < 9; i++) {
      set = set.rotated(secret("" + i), NOW, NOW.plus(HOUR));
    }
    assertThat(set.at(NOW)).isEqualTo(List.of(secret("8"), secret("7"), secret("6"), secret("5")));
  }

  @Test
  void sealedSecretsOpenForTheirWebhookAndMasterKeyOnly() {
    var random = new SecureRandom();
    var seal = new SecretSeal(MasterKey.of("a master key for tests, one", random), random);
    SecretSet set = SecretSet.of(secret("a")).rotated(secret("b"), NOW, NOW.plus(HOUR));
    byte[] sealed = seal.seal("wh_1", set);
    assertThat(seal.open("wh_1", sealed)).contains(set);
    assertThat(seal.open("wh_2", sealed)).isEmpty();
    assertThat(
            new SecretSeal(MasterKey.of("a master key for tests, two", random), random)
                .open("wh_1", sealed))
        .isEmpty();
    sealed[sealed.length - 1] ^= 1;
    assertThat(seal.open("wh_1", sealed)).isEmpty();
  }
}
