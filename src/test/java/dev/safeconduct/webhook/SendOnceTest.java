package dev.safeconduct.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.passport.PassportStatus;
import dev.safeconduct.testkit.TestPace;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;

/** The deadline holds from the first look at the name on, and a broken secret sends nothing. */
class SendOnceTest {
  private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");
  private static final InetAddress SOMEWHERE = InetAddress.ofLiteral("93.184.216.34");
  private static final Dialer NOBODY =
      (_, _, _) -> {
        throw new ConnectException("nobody is called");
      };

  private final CountDownLatch interrupted = new CountDownLatch(1);

  @Test
  void aNameServerThatSaysNothingIsGivenUp() throws InterruptedException {
    Outcome outcome =
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
    Outcome outcome =
        send(
            _ -> List.of(SOMEWHERE),
            (_, _, _) -> {
              hang();
              return new Socket();
            },
            List.of(new WebhookSecret("secret")));
    assertThat(outcome.failure()).contains("The receiver did not answer in full within 50 ms.");
    assertThat(outcome.isWorthRetrying()).isTrue();
    interrupted.await();
  }

  /** Each address of a name gets a share of the time, so that the last one is tried too. */
  @Test
  void addressesShareTheTime() {
    var shares = new CopyOnWriteArrayList<Duration>();
    Outcome outcome =
        send(
            _ -> List.of(SOMEWHERE, SOMEWHERE, SOMEWHERE, SOMEWHERE, SOMEWHERE, SOMEWHERE),
            (_, _, share) -> {
              shares.add(share);
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
    Outcome outcome = send(_ -> List.of(SOMEWHERE), NOBODY, List.of());
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
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

  private static Outcome send(Resolver resolver, Dialer dialer, List<WebhookSecret> secrets) {
    return send(resolver, dialer, secrets, Duration.ofMillis(50));
  }

  private static Outcome send(
      Resolver resolver, Dialer dialer, List<WebhookSecret> secrets, Duration timeout) {
    var surroundings =
        new Surroundings(
            resolver,
            dialer,
            () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
            new TestPace(),
            () -> 0.5);
    var guard = new AddressGuard(false, false);
    var receiver =
        new Receiver(
            "wh_1",
            Optional.of(new OrgId("org_1")),
            ReceiverUrl.parse("http://hooks.example.com/").orElseThrow(),
            secrets,
            new RetryPolicy(0, Duration.ZERO, Duration.ofSeconds(1)));
    StatusEvent event =
        StatusEvent.of(
            "msg_1",
            new AgentId("ap_1"),
            PassportStatus.ACTIVE,
            PassportStatus.SUSPENDED,
            NOW,
            NOW);
    return new SendOnce(new Exchange(guard, surroundings), InstantSource.fixed(NOW))
        .run(receiver, event, 1, timeout);
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
