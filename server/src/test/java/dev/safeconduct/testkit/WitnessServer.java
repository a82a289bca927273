package dev.safeconduct.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.Proofs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A {@link TestWitness} that takes checkpoints over HTTP (C2SP tlog-witness). */
public final class WitnessServer implements AutoCloseable {
  private final TestWitness witness = new TestWitness("witness.example/served");
  private final HttpServer server;
  private final List<Integer> answers = new ArrayList<>();
  private String origin = "";
  private long size;
  private byte[] root = new byte[0];

  public WitnessServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/log/add-checkpoint", this::add);
    server.start();
  }

  /** Its key and address, as {@code AUDIT_WITNESSES} takes them. */
  public String setting() {
    return witness.verifierKey() + " http://127.0.0.1:" + server.getAddress().getPort() + "/log/";
  }

  /** The only log it knows from now on. */
  public void know(String name) {
    origin = name;
  }

  /** Has it remember another log of that size. */
  public void remember(long otherSize, byte[] otherRoot) {
    size = otherSize;
    root = otherRoot.clone();
  }

  public long size() {
    return size;
  }

  /** The statuses it answered with. */
  public List<Integer> answers() {
    return List.copyOf(answers);
  }

  private void add(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String type = "text/plain";
    int status;
    String text = "";
    int gap = body.indexOf("\n\n");
    List<String> head = body.substring(0, gap).lines().toList();
    String note = body.substring(gap + 2);
    Checkpoint checkpoint = Checkpoint.parse(note).orElseThrow();
    long old = Long.parseLong(head.getFirst().substring("old ".length()));
    List<byte[]> path =
        head.subList(1, head.size()).stream().map(Base64.getDecoder()::decode).toList();
    if (!checkpoint.origin().equals(origin)) {
      status = 404;
    } else if (old > checkpoint.size()) {
      status = 400;
    } else if (old != size) {
      status = 409;
      type = "text/x.tlog.size";
      text = size + "\n";
    } else if (size == 0
        ? !path.isEmpty()
        : !Proofs.consistent(size, root, checkpoint.size(), checkpoint.root(), path)) {
      status = 422;
    } else {
      status = 200;
      size = checkpoint.size();
      root = checkpoint.root();
      text = witness.cosigned(note, System.currentTimeMillis() / 1000).substring(note.length());
    }
    answers.add(status);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
