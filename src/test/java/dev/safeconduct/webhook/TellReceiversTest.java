package dev.safeconduct.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.passport.PassportStatus;
import dev.safeconduct.passport.StatusChange;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.testkit.RecordingDialer;
import dev.safeconduct.testkit.Rooms;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestPace;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store may fail after a status change: who can be told is told, and nothing is thrown. */
class TellReceiversTest {
  @TempDir Path folder;

  private final Rooms rooms = new Rooms();

  private Notifications notifications(String url, Supplier<List<Webhook>> wanting) {
    var config =
        new WebhookConfig(
            ReceiverUrl.parse(url),
            Optional.empty(),
            new RetryPolicy(0, Duration.ZERO, Duration.ofSeconds(5)),
            Duration.ofSeconds(30),
            true,
            true);
    var surroundings =
        new Surroundings(
            name -> {
              throw new UnknownHostException(name);
            },
            new RecordingDialer(),
            () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
            new TestPace(),
            () -> 0.5);
    var random = new SecureRandom();
    return new Notifications(
        new Notifications.Needs(
            config,
            surroundings,
            new FailingStore(wanting),
            new FailingStore(wanting).deliveries(),
            rooms.passports,
            MasterKey.of("a master key for tests only", random),
            rooms.recorder,
            rooms.clock,
            random,
            folder.resolve("deadletter.jsonl"),
            _ -> {}));
  }

  private StatusChange change() {
    return new StatusChange(
        new AgentId("ap_1"),
        rooms.ours,
        PassportStatus.ACTIVE,
        PassportStatus.SUSPENDED,
        rooms.clock.instant(),
        true);
  }

  @Test
  void tellsThoughNothingCanBeNoted() throws IOException {
    try (ScriptedReceiver receiver =
        ScriptedReceiver.answering(
            "HTTP/1.1 204 X\r\n\r\n", "HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n")) {
      Notifications notifications = notifications(receiver.url(), List::of);
      assertThat(notifications.tell(change()))
          .isEqualTo(new StatusReceivers.Delivery(true, 1, Optional.empty()));
      assertThat(notifications.tell(change()).error())
          .contains("global: The receiver answered 400.");
      assertThat(Files.readAllLines(folder.resolve("deadletter.jsonl"))).hasSize(1);
    }
  }

  @Test
  void saysSoWhenReceiversCannotBeFound() {
    Notifications notifications =
        notifications(
            "http://127.0.0.1:1/",
            () -> {
              throw FailingStore.outOfOrder();
            });
    assertThat(notifications.tell(change()))
        .isEqualTo(
            new StatusReceivers.Delivery(
                false, 0, Optional.of("The receivers could not be told; see the service's log.")));
  }

  /** One webhook whose row was altered does not silence the others. */
  @Test
  void anAlteredRowSilencesNobodyElse() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering("HTTP/1.1 204 X\r\n\r\n")) {
      Webhook altered =
          new Webhook(
              "wh_1",
              rooms.ours,
              ReceiverUrl.parse(receiver.url()).orElseThrow(),
              Optional.empty(),
              EventKinds.DEFAULT,
              true,
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              new byte[40],
              Optional.empty(),
              1,
              rooms.clock.instant(),
              rooms.clock.instant());
      Notifications notifications = notifications(receiver.url(), () -> List.of(altered));
      assertThat(notifications.tell(change()).error())
          .contains("wh_1: The webhook's secret cannot be opened; rotate it.");
      assertThat(receiver.connections()).isEqualTo(1);
    }
  }

  /** A store that is out of order for everything but, perhaps, finding webhooks. */
  private record FailingStore(Supplier<List<Webhook>> wanting) implements Webhooks {
    static ProblemException outOfOrder() {
      return new Problem.Unavailable("The store is out of order.", 1).toException();
    }

    Deliveries deliveries() {
      return new Deliveries() {
        @Override
        public void begin(List<Delivery> deliveries, Instant forgetBefore) {
          throw outOfOrder();
        }

        @Override
        public void finish(List<Delivery> deliveries) {
          throw outOfOrder();
        }

        @Override
        public Optional<Delivery> find(Tenant tenant, String id) {
          throw outOfOrder();
        }

        @Override
        public List<Delivery> list(
            Tenant tenant,
            String receiver,
            Optional<Delivery.State> state,
            Instant abandonedBefore,
            Optional<String> afterId,
            int limit) {
          throw outOfOrder();
        }

        @Override
        public List<Delivery> dead(
            Tenant tenant,
            String receiver,
            Instant abandonedBefore,
            Optional<String> afterId,
            int limit) {
          throw outOfOrder();
        }

        @Override
        public long countDead(Tenant tenant, String receiver, Instant abandonedBefore) {
          throw outOfOrder();
        }
      };
    }

    @Override
    public Optional<Webhook> find(Tenant tenant, String id) {
      throw outOfOrder();
    }

    @Override
    public List<Webhook> list(OrgId org, Filter filter, Optional<String> afterId, int limit) {
      throw outOfOrder();
    }

    @Override
    public List<Webhook> wanting(OrgId org, AgentId agent) {
      return wanting.get();
    }

    @Override
    public void create(Webhook webhook, AuditRecord entry) {
      throw outOfOrder();
    }

    @Override
    public boolean replace(Webhook webhook, long expectedRevision, AuditRecord entry) {
      throw outOfOrder();
    }

    @Override
    public boolean delete(OrgId org, String id, AuditRecord entry) {
      throw outOfOrder();
    }
  }
}
