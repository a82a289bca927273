package dev.safeconduct.gateway.testkit;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.Upstream;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A connection to a server whose answers the test sends when it likes. */
public final class HeldServer implements Upstream {
  /** The error of a server that does not know a method. */
  public static final RpcError UNKNOWN = RpcError.of(RpcError.METHOD_NOT_FOUND, "Method not found");

  private static final long PATIENCE_SECONDS = 20;

  private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
  private final BlockingQueue<Message> told = new LinkedBlockingQueue<>();
  private final BlockingQueue<Message> answered = new LinkedBlockingQueue<>();
  private volatile CountDownLatch mayReturn = new CountDownLatch(0);
  private volatile CountDownLatch goOn = new CountDownLatch(0);
  private volatile Outlet unsolicited = message -> {};

  /** A request that reached the server. */
  public record Asked(Message request, Outlet outlet) {
    /** Answers it. */
    public void answer(java.util.Map<String, ?> result) {
      outlet.send(Message.result(request.id(), result));
    }
  }

  /** Returns a policy client for it, for requests without a decision. */
  public static PolicyClient policy() throws ConfigException {
    return new PolicyClient(
        Safeconduct.builder().baseUrl("http://127.0.0.1:1").apiKey("sck_test").build(),
        ServerConfig.ofCommand("test", List.of("none"), List.of()),
        null,
        false,
        line -> {});
  }

  /** Returns the next request. */
  public Asked next() throws InterruptedException {
    return next(asked);
  }

  /** Returns the requests that nobody has taken. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  /** Returns the next notification; it may still be on the way. */
  public Message nextTold() throws InterruptedException {
    return next(told);
  }

  /** Returns the notifications that nobody has taken. */
  public List<Message> told() {
    return List.copyOf(told);
  }

  /** Returns the next answer to a request of the server. */
  public Message nextAnswer() throws InterruptedException {
    return next(answered);
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    return Objects.requireNonNull(queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS), "nothing came");
  }

  /** Holds up who brings a request, until the latch is down. */
  public void holdRequests(CountDownLatch until) {
    mayReturn = until;
  }

  /** Holds up who brings a notification, until the latch is down. */
  public void holdNotifications(CountDownLatch until) {
    goOn = until;
  }

  /** Sends a message of its own. */
  public void send(Message message) {
    unsolicited.send(message);
  }

  @Override
  public void request(Message request, Forwarded headers, Outlet outlet) {
    asked.add(new Asked(request, outlet));
    await(mayReturn);
  }

  @Override
  public void notify(Message notification, Forwarded headers) {
    told.add(notification);
    await(goOn);
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("held up for too long");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void respond(Message response) {
    answered.add(response);
  }

  @Override
  public void unsolicited(Outlet outlet) {
    unsolicited = outlet;
  }

  @Override
  public void close() {}
}
