package dev.safeconduct.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Plays the script of a case of {@code sdk/vectors/client.json}, with plain sockets. */
final class ScriptServer implements AutoCloseable {
  private static final String STREAM_HEAD =
      String.join(
          "\r\n",
          "HTTP/1.1 200 x",
          "Content-Type: text/event-stream",
          "Transfer-Encoding: chunked",
          "",
          "");

  private final Map<String, @Nullable Object> recorded;
  private final Deque<Map<String, @Nullable Object>> answers;
  private final Deque<Map<String, @Nullable Object>> keySets;
  private final List<Received> requests = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final ServerSocket listener;
  private final int port;
  private int keySetRequests;
  private boolean isStreaming;
  private volatile boolean isSilent;
  private volatile @Nullable Socket stream;

  /**
   * A request that came in.
   *
   * @param headers by lower-case name
   */
  record Received(String method, String path, Map<String, String> headers, @Nullable Object body) {}

  ScriptServer(Map<String, @Nullable Object> script, Map<String, @Nullable Object> recorded)
      throws IOException {
    this.recorded = recorded;
    answers = new ArrayDeque<>(Vectors.objects(script, "server"));
    keySets =
        new ArrayDeque<>(
            script.containsKey("jwks")
                ? Vectors.objects(script, "jwks")
                : List.of(Map.of("keys", "jwks")));
    isStreaming = Vectors.is(script, "stream");
    listener = new ServerSocket();
    listener.setReuseAddress(true);
    try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = probe.getLocalPort();
    }
  }

  String address() {
    return "http://127.0.0.1:" + port;
  }

  void start() throws IOException {
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    run(() -> {
      while (true) {
        Socket socket = listener.accept();
        run(() -> serve(socket));
      }
    });
  }

  synchronized List<Received> requests() {
    return List.copyOf(requests);
  }

  synchronized int keySetRequests() {
    return keySetRequests;
  }

  void event(String name, @Nullable Object data) throws IOException {
    String json = new String(Json.write(data), StandardCharsets.UTF_8);
    writeStream("event: " + name + "\nid: 7\ndata: " + json + "\n\n");
  }

  synchronized void endStream() throws IOException {
    isStreaming = false;
    if (stream != null) {
      stream.close();
    }
  }

  void silence() {
    isSilent = true;
  }

  @Override
  public void close() throws IOException {
    over.countDown();
    listener.close();
  }

  private interface Body {
    void run() throws IOException, InterruptedException;
  }

  private static void run(Body body) {
    var thread =
        new Thread(() -> {
          try {
            body.run();
          } catch (IOException | InterruptedException e) {
            // The client left or the case is over.
          }
        });
    thread.setDaemon(true);
    thread.start();
  }

  private void serve(Socket socket) throws IOException, InterruptedException {
    try (socket) {
      InputStream in = socket.getInputStream();
      while (true) {
        String first = line(in);
        if (first.isEmpty()) {
          return;
        }
        String[] parts = first.split(" ", -1);
        var headers = new LinkedHashMap<String, String>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
          int colon = line.indexOf(':');
          headers.put(
              line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
        }
        byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        if (!answer(new Received(parts[0], parts[1], headers, json(body)), socket)) {
          return;
        }
      }
    }
  }

  private static @Nullable Object json(byte[] body) {
    return body.length == 0 ? null : Json.parse(body);
  }

  private static String line(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != -1 && b != '\n'; b = in.read()) {
      line.write(b);
    }
    return line.toString(StandardCharsets.ISO_8859_1).strip();
  }

  /** Answers; returns whether the connection lives on. */
  private boolean answer(Received request, Socket socket) throws IOException, InterruptedException {
    if (request.path().startsWith("/api/revocations")) {
      return sendStream(socket);
    }
    Map<String, @Nullable Object> answer;
    synchronized (this) {
      if (request.path().equals("/jwks.json")) {
        keySetRequests++;
        answer = keySets.size() == 1 ? keySets.getFirst() : keySets.removeFirst();
      } else {
        requests.add(request);
        answer = answers.isEmpty() ? Map.of("status", 500, "text", "") : answers.getFirst();
        if (!answers.isEmpty() && !Vectors.is(answer, "forever")) {
          answers.removeFirst();
        }
      }
    }
    return send(answer, socket);
  }

  private boolean send(Map<String, @Nullable Object> answer, Socket socket)
      throws IOException, InterruptedException {
    if (answer.containsKey("event")) {
      Map<String, @Nullable Object> event = Vectors.object(answer, "event");
      event(Json.text(event, "event"), event.get("data"));
      pause(200);
    }
    pause(Vectors.number(answer, "delay_ms", 0));
    if (Vectors.is(answer, "close")) {
      return false;
    }
    byte[] body = body(answer);
    boolean isChunked = Vectors.is(answer, "chunked");
    var headers = new LinkedHashMap<String, @Nullable Object>();
    headers.put("Content-Type", "application/json");
    headers.putAll(Vectors.object(answer, "headers"));
    if (isChunked) {
      headers.put("Transfer-Encoding", "chunked");
    } else {
      headers.put("Content-Length", String.valueOf(body.length));
    }
    var head = new StringBuilder("HTTP/1.1 " + Vectors.number(answer, "status", 200) + " x\r\n");
    headers.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    OutputStream out = socket.getOutputStream();
    out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    pause(Vectors.number(answer, "body_delay_ms", 0));
    int cut = Vectors.number(answer, "cut", body.length);
    byte[] part = Arrays.copyOf(body, cut < 0 ? body.length + cut : Math.min(cut, body.length));
    if (isChunked) {
      sendChunks(out, part, !answer.containsKey("cut"));
    } else if (answer.containsKey("drip_ms")) {
      for (byte one : part) {
        pause(Vectors.number(answer, "drip_ms", 0));
        out.write(one);
      }
    } else {
      out.write(part);
    }
    return !answer.containsKey("cut");
  }

  private static void sendChunks(OutputStream out, byte[] part, boolean isWhole)
      throws IOException {
    int half = part.length / 2;
    for (byte[] chunk :
        List.of(Arrays.copyOf(part, half), Arrays.copyOfRange(part, half, part.length))) {
      out.write(Vectors.bytes(Integer.toHexString(chunk.length) + "\r\n"));
      out.write(chunk);
      out.write(Vectors.bytes("\r\n"));
    }
    if (isWhole) {
      out.write(Vectors.bytes("0\r\n\r\n"));
    }
  }

  private byte[] body(Map<String, @Nullable Object> answer) {
    byte[] data;
    if (answer.get("text") instanceof String text) {
      data = Vectors.bytes(text);
    } else if (answer.get("base64") instanceof String text) {
      data = Base64.getDecoder().decode(text);
    } else {
      data = Vectors.bytes(fill(new String(Json.write(value(answer)), StandardCharsets.UTF_8)));
    }
    var all = new ByteArrayOutputStream();
    for (int i = 0; i < Vectors.number(answer, "repeat", 1); i++) {
      all.writeBytes(data);
    }
    all.writeBytes(Vectors.bytes(Vectors.text(answer, "append", "")));
    return Arrays.copyOf(all.toByteArray(), Vectors.number(answer, "keep", all.size()));
  }

  private @Nullable Object value(Map<String, @Nullable Object> answer) {
    Object value;
    if (answer.containsKey("json")) {
      value = answer.get("json");
    } else if (answer.get("keys") instanceof String name) {
      value = recorded.get(name);
    } else if (answer.containsKey("passport")) {
      value = recorded.get("passport");
    } else {
      value = Vectors.object(recorded, "answers").get(Json.text(answer, "answer"));
    }
    if (value == null) {
      return null;
    }
    Object copy = Json.parse(Json.write(value));
    Vectors.object(answer, "set")
        .forEach((pointer, each) -> place(copy, pointer).put(last(pointer), each));
    if (answer.get("remove") instanceof List<?> pointers) {
      pointers.forEach(
          each -> place(copy, String.valueOf(each)).remove(last(String.valueOf(each))));
    }
    return copy;
  }

  /** Returns the object that holds what a JSON pointer leads to. */
  static Map<String, @Nullable Object> place(@Nullable Object value, String pointer) {
    Object at = value;
    String[] names = pointer.split("/", -1);
    for (int i = 1; i < names.length - 1; i++) {
      at = Json.object(at).get(names[i]);
    }
    return Json.object(at);
  }

  static String last(String pointer) {
    return pointer.substring(pointer.lastIndexOf('/') + 1);
  }

  /** Replaces {agent_id} and the other names by the recorded values. */
  String fill(String text) {
    Map<String, @Nullable Object> made = Vectors.object(recorded, "answers");
    Map<String, @Nullable Object> asked = Vectors.object(recorded, "questions");
    return text.replace("{agent_id}", Json.text(Vectors.object(asked, "allow"), "agent_id"))
        .replace("{kid}", Json.text(Vectors.object(made, "allow"), "kid"))
        .replace("{reservation_id}", Json.text(Vectors.object(made, "reserved"), "reservation_id"))
        .replace(
            "{approval_id}",
            Json.text(Vectors.object(Vectors.object(made, "approval"), "approval"), "approval_id"));
  }

  private boolean sendStream(Socket socket) throws IOException, InterruptedException {
    synchronized (this) {
      if (!isStreaming) {
        return send(Map.of("status", 404, "json", Map.of("ok", false)), socket);
      }
    }
    socket.getOutputStream().write(Vectors.bytes(STREAM_HEAD));
    stream = socket;
    while (over.getCount() > 0) {
      if (!isSilent) {
        writeStream(": \n\n");
      }
      pause(200);
    }
    return false;
  }

  private synchronized void writeStream(String text) throws IOException {
    Socket socket = stream;
    if (socket != null) {
      socket
          .getOutputStream()
          .write(Vectors.bytes(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n"));
    }
  }

  private void pause(int millis) throws InterruptedException {
    var unused = over.await(millis, TimeUnit.MILLISECONDS);
  }
}
