package dev.safeconduct.gateway.testkit;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.front.StdioFront;
import dev.safeconduct.gateway.policy.Pins;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.relay.Session;
import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.LineReader;
import dev.safeconduct.gateway.rpc.LineWriter;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.upstream.StdioUpstream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client over pipes, the gateway in this process, and a server over stdio. One thread uses it.
 */
public final class Conversation implements AutoCloseable {
  private static final int MAX_BYTES = 1 << 20;

  /** Longer than the gateway waits for anything. */
  private static final long PATIENCE_SECONDS = 60;

  private final OutputStream toGateway;
  private final BlockingQueue<Optional<byte[]>> fromGateway = new LinkedBlockingQueue<>();
  private final LineWriter out;
  private final Thread front;
  private final StdioUpstream upstream;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final List<Message> others = new ArrayList<>();
  private long ids = 1000;

  /** Starts the server and the gateway. */
  public Conversation(
      ServerConfig server,
      Safeconduct service,
      String agentId,
      @Nullable Path pins,
      boolean denyAsError)
      throws IOException {
    Pipe in = Pipe.open();
    Pipe answers = Pipe.open();
    toGateway = Channels.newOutputStream(in.sink());
    var lines = new LineReader(Channels.newInputStream(answers.source()), 8 * MAX_BYTES);
    Thread.ofPlatform().daemon().name("test-in").start(() -> read(lines));
    out = new LineWriter(Channels.newOutputStream(answers.sink()), "test-out");
    upstream =
        new StdioUpstream(server, System.getenv(), MAX_BYTES, MessageMemory.unlimited(), log::add);
    var policy =
        new PolicyClient(
            service, server, pins == null ? null : new Pins(pins), denyAsError, log::add);
    var session =
        new Session(
            new Principal("test", agentId),
            policy,
            upstream,
            Thread::startVirtualThread,
            out::write);
    front =
        Thread.ofVirtual()
            .start(() -> {
              try (session) {
                new StdioFront(Channels.newInputStream(in.source()), out, MAX_BYTES).run(session);
              } catch (IOException | InterruptedException e) {
                log.add("front ended: " + e);
              }
            });
  }

  /** Starts one with the usual settings and a server that is called {@code test}. */
  public static Conversation with(ScriptedServer server, String agentId, @Nullable Path pins)
      throws IOException, ConfigException {
    return new Conversation(
        ServerConfig.ofCommand("test", server.command(), List.of()),
        RunningService.shared().client(),
        agentId,
        pins,
        false);
  }

  /** Sends a line as it is. */
  public void send(String line) throws IOException {
    toGateway.write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Sends bytes and a line's end. */
  public void send(byte[] line) throws IOException {
    toGateway.write(line);
    toGateway.write('\n');
  }

  private void read(LineReader lines) {
    try {
      for (byte[] line = lines.read(); line != null; line = lines.read()) {
        fromGateway.add(Optional.of(line));
      }
    } catch (IOException e) {
      log.add("the gateway's answers cannot be read: " + e);
    }
    fromGateway.add(Optional.empty());
  }

  /** Returns the next message of the gateway. */
  public Message next() throws IOException {
    byte[] line;
    try {
      Optional<byte[]> next = fromGateway.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      line =
          Objects.requireNonNull(next, () -> "the gateway does not answer; " + log)
              .orElseThrow(() -> new IOException("the gateway ended; " + log));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    try {
      return Message.parse(line);
    } catch (InvalidMessage e) {
      throw new IOException(new String(line, StandardCharsets.UTF_8), e);
    }
  }

  /** Returns the response with the id; other messages go to {@link #others}. */
  public Message response(@Nullable Object id) throws IOException {
    while (true) {
      Message message = next();
      if (message.kind() == Message.Kind.RESPONSE && Objects.equals(message.id(), id)) {
        return message;
      }
      others.add(message);
    }
  }

  /** Sends a request and returns its response. */
  public Message ask(String method, Map<String, ? extends @Nullable Object> params)
      throws IOException {
    long id = ++ids;
    send(Message.request(id, method, params).bytes());
    return response(id);
  }

  /** Calls a tool and returns the response. */
  public Message call(String tool, Map<String, ? extends @Nullable Object> arguments)
      throws IOException {
    return ask("tools/call", Map.of("name", tool, "arguments", arguments));
  }

  /** Returns the names of the tools that are listed. */
  public List<String> tools() throws IOException {
    Map<String, @Nullable Object> result =
        Objects.requireNonNull(ask("tools/list", Map.of()).result());
    var names = new ArrayList<String>();
    for (Object tool : (List<?>) Objects.requireNonNull(result.get("tools"))) {
      names.add(String.valueOf(Message.objectOrEmpty(tool).get("name")));
    }
    return names;
  }

  /** Returns messages that came while a response was awaited. */
  public List<Message> others() {
    return others;
  }

  /** Returns what the gateway logged. */
  public List<String> log() {
    return log;
  }

  @Override
  public void close() throws IOException {
    toGateway.close();
    try {
      if (!front.join(Duration.ofSeconds(PATIENCE_SECONDS))) {
        throw new IOException("the gateway does not end; " + log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    upstream.close();
    out.close();
  }
}
