package dev.safeconduct.webhook.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.testkit.RecordingSockets;
import dev.safeconduct.testkit.TestTicker;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The deadline holds from the first look at the name on, and a broken secret sends nothing. */
class WebhookClientTest {
  private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");
  private static final InetAddress SOMEWHERE = InetAddress.ofLiteral("93.184.216.34");
  private static final RecordingSockets.Connecting NOBODY =
      (_, _, _) -> {
        throw new ConnectException("nobody is called");
      };

  private final CountDownLatch interrupted = new CountDownLatch(1);

  @Test
  void aNameServerThatSaysNothingIsGivenUp() throws InterruptedException {
    AttemptOutcome outcome =
        send(
            _ -> {
              hang();
              return List.of(SOMEWHERE);
            },
            NOBODY,
            List.of(new WebhookSecret("secret")));
    assertThat(outcome.failure()).contains("The receiver did not answer in full within 50 ms.");
    interrupted.await();
  }

  @Test
  void anAddressThatSwallowsPacketsIsGivenUp() throws InterruptedException {
    AttemptOutcome outcome =
        send(_ -> List.of(SOMEWHERE), (_, _, _) -> hang(), List.of(new WebhookSecret("secret")));
    assertThat(outcome.failure()).contains("The receiver did not answer in full within 50 ms.");
    assertThat(outcome.isRetried()).isTrue();
    interrupted.await();
  }

  /** Each address of a name gets a share of the time, so that the last one is tried too. */
  @Test
  void addressesShareTheTime() {
    var shares = new CopyOnWriteArrayList<Duration>();
    AttemptOutcome outcome =
        send(
            _ -> List.of(SOMEWHERE, SOMEWHERE, SOMEWHERE, SOMEWHERE, SOMEWHERE, SOMEWHERE),
            (_, _, share) -> {
              shares.add(Duration.ofMillis(share));
              throw new ConnectException("refused");
            },
            List.of(new WebhookSecret("secret")),
            Duration.ofHours(1));
    assertThat(outcome.failure()).contains("The receiver refused the connection.");
    assertThat(shares).hasSize(4).isSorted();
    assertThat(shares.getFirst()).isLessThanOrEqualTo(Duration.ofMinutes(15));
    assertThat(shares.getLast()).isLessThanOrEqualTo(Duration.ofHours(1));
  }

  @Test
  void anOrganizationsDeliveryIsNeverUnsigned() {
    AttemptOutcome outcome = send(_ -> List.of(SOMEWHERE), NOBODY, List.of());
    assertThat(outcome).isInstanceOf(AttemptOutcome.Refused.class);
    assertThat(outcome.failure()).contains("The webhook's secret cannot be opened; rotate it.");
  }

  private void hang() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException _) {
      interrupted.countDown();
      Thread.currentThread().interrupt();
    }
  }

  private static AttemptOutcome send(
      Resolver resolver, RecordingSockets.Connecting connecting, List<WebhookSecret> secrets) {
    return send(resolver, connecting, secrets, Duration.ofMillis(50));
  }

  private static AttemptOutcome send(
      Resolver resolver,
      RecordingSockets.Connecting connecting,
      List<WebhookSecret> secrets,
      Duration timeout) {
    var dependencies =
        new WebhookDependencies(
            resolver,
            RecordingSockets.that(connecting),
            () -> {
              throw new AssertionError("no receiver here has TLS");
            },
            new TestTicker(),
            () -> 0.5);
    var guard = new AddressGuard(false, false);
    var receiver =
        new Receiver(
            "wh_1",
            Optional.of(new OrgId("org_1")),
            ReceiverUrl.parse("http://hooks.example.com/").orElseThrow(),
            secrets,
            new RetryPolicy(0, Duration.ZERO, Duration.ofSeconds(1)),
            Format.JSON);
    WebhookEvent event =
        WebhookEvent.statusChange(
            "msg_1",
            new AgentId("ap_1"),
            PassportStatus.ACTIVE,
            PassportStatus.SUSPENDED,
            NOW,
            NOW);
    return new WebhookClient(guard, dependencies, InstantSource.fixed(NOW))
        .send(receiver, event, 1, timeout);
  }

  @Test
  void theMachinesResolverKnowsTheMachine() throws IOException, InterruptedException {
    var resolver = new SystemResolver();
    for (int i = 0; i < 3; i++) {
      assertThat(resolver.resolve("localhost"))
          .isNotEmpty()
          .allMatch(InetAddress::isLoopbackAddress);
    }
  }
}
