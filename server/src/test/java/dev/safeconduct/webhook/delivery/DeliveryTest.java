package dev.safeconduct.webhook.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeliveryTest {
  private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");
  private static final ReceiverUrl URL =
      ReceiverUrl.parse("https://hooks.example.com").orElseThrow();

  private final Delivery begun =
      Delivery.begin(
          "dlv_1",
          new Receiver(
              Receiver.GLOBAL,
              Optional.empty(),
              URL,
              List.of(),
              new RetryPolicy(0, Duration.ZERO, Duration.ofSeconds(5)),
              Format.JSON),
          new WebhookEvent("msg_1", JsonObject.EMPTY),
          NOW);

  /** The longest that deliveries may take is five minutes; after ten nothing is on its way. */
  @Test
  void whatShouldLongBeOverIsReadAsDead() {
    Instant late = NOW.plus(Duration.ofMinutes(10));
    assertThat(begun.asOf(late)).isEqualTo(begun);
    Delivery.Progress dead = begun.asOf(late.plusMillis(1)).progress();
    assertThat(dead.state()).isEqualTo(Delivery.State.DEAD);
    assertThat(dead.failure()).contains("The service ended while this was being sent.");
  }

  @Test
  void whatIsOverStaysAsItIs() {
    var answered = new AttemptOutcome.Answered(204, Optional.empty(), Duration.ofMillis(3));
    Delivery delivered = begun.after(URL, new DeliverWithRetries.Result(2, answered), NOW);
    assertThat(delivered.asOf(NOW.plus(Duration.ofDays(9)))).isEqualTo(delivered);
    assertThat(delivered.progress().attempts()).isEqualTo(2);
    var refused = new AttemptOutcome.Answered(500, Optional.empty(), Duration.ofMillis(4));
    Delivery dead = delivered.after(URL, new DeliverWithRetries.Result(3, refused), NOW);
    assertThat(dead.progress().attempts()).isEqualTo(5);
    assertThat(dead.progress().responseStatus()).contains(500);
    assertThat(dead.progress().state()).isEqualTo(Delivery.State.DEAD);
  }
}
