import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Receives status changes from Safeconduct. Needs a JDK 21 or newer and no libraries.
 *
 * <pre>WEBHOOK_SECRET=… PORT=9000 java Receiver.java</pre>
 *
 * While a secret is being changed, give both with a space between.
 */
final class Receiver {
  private static final int MAX_BODY = 64 * 1024;

  private final List<String> secrets;
  private final Set<String> seen = ConcurrentHashMap.newKeySet(); // keep these where they outlive us

  private Receiver(List<String> secrets) {
    this.secrets = secrets;
  }

  public static void main(String[] args) throws IOException {
    var environment = System.getenv();
    List<String> secrets =
        Stream.of(environment.getOrDefault("WEBHOOK_SECRET", "").split(" "))
            .filter(secret -> !secret.isEmpty())
            .toList();
    if (secrets.isEmpty()) {
      System.err.println("Set WEBHOOK_SECRET.");
      System.exit(2);
    }
    int port = Integer.parseInt(environment.getOrDefault("PORT", "9000"));
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", new Receiver(secrets)::receive);
    server.start();
    System.out.println("listening on " + server.getAddress().getPort());
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(status(exchange), -1);
    }
  }

  private int status(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      return 405;
    }
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
    if (body.length > MAX_BODY) {
      return 413;
    }
    String signature = exchange.getRequestHeaders().getFirst("X-Webhook-Signature");
    if (signature == null || !isSigned(body, signature)) {
      return 401;
    }
    String id = exchange.getRequestHeaders().getFirst("X-Webhook-Id");
    if (id != null && seen.add(id)) { // a retry may bring an event a second time
      System.out.println(new String(body, UTF_8)); // parse it with the library you use
    }
    return 204;
  }

  /** Whether one of our secrets made the signature over exactly these bytes. */
  private boolean isSigned(byte[] body, String signature) {
    boolean found = false;
    for (String secret : secrets) {
      String expected = "sha256=" + HexFormat.of().formatHex(hmac(secret, body));
      found |= MessageDigest.isEqual(expected.getBytes(UTF_8), signature.getBytes(UTF_8));
    }
    return found;
  }

  private static byte[] hmac(String secret, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
