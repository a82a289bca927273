package dev.safeconduct.webhook.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.net.RetryAfter;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");

  private static RetryPolicy delayed(long millis) {
    return new RetryPolicy(RetryPolicy.MAX_RETRIES, Duration.ofMillis(millis), SECOND);
  }

  @Test
  void eachWaitDoublesTheOneBefore() {
    assertThat(delayed(1000).backoff(1, 0.5)).isEqualTo(SECOND);
    assertThat(delayed(1000).backoff(2, 0.5)).isEqualTo(SECOND.multipliedBy(2));
    assertThat(delayed(1000).backoff(5, 0.5)).isEqualTo(SECOND.multipliedBy(16));
    assertThat(delayed(1000).backoff(6, 0.5)).isEqualTo(SECOND.multipliedBy(30));
  }

  @Test
  void chanceMovesAWaitByAFifth() {
    assertThat(delayed(1000).backoff(1, 0)).isEqualTo(Duration.ofMillis(800));
    assertThat(delayed(1000).backoff(1, 1)).isEqualTo(Duration.ofMillis(1200));
    assertThat(delayed(0).backoff(9, 1)).isZero();
  }

  @RandomTest
  void noWaitIsFurtherOffOrLongerThanAllowed(RandomCase random) {
    int delay = random.between(0, 30_000);
    int retry = random.between(1, 10);
    double chance = random.fraction();
    long exact = Math.min((long) delay << (retry - 1), 30_000);
    long wait = delayed(delay).backoff(retry, chance).toMillis();
    assertThat(wait).isBetween(exact * 8 / 10 - 1, Math.min(exact * 12 / 10 + 1, 30_000));
  }

  @Test
  void retryAfterIsSecondsOrADate() {
    assertThat(RetryAfter.read("120", NOW)).contains(Duration.ofMinutes(2));
    assertThat(RetryAfter.read(" 0 ", NOW)).contains(Duration.ZERO);
    assertThat(RetryAfter.read("Sat, 21 Nov 2026 09:00:07 GMT", NOW))
        .contains(Duration.ofSeconds(7));
    assertThat(RetryAfter.read("Sat, 21 Nov 2026 08:00:00 GMT", NOW)).contains(Duration.ZERO);
    for (String other : new String[] {"", "-1", "1.5", "soon", "1e3", "99999999999999", "２"}) {
      assertThat(RetryAfter.read(other, NOW)).as(other).isEmpty();
    }
  }
}
