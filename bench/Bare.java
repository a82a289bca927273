import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import dev.safeconduct.text.Sha256;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * The least a durable signed decision costs on this machine: the body is parsed and digested,
 * a decision signed and written with the body by one thread that commits whatever waits, and
 * answered in as many bytes as the service's. Nobody is authenticated, nothing is evaluated, redacted,
 * committed to a log or counted. Arguments: port, JDBC URL.
 */
final class Bare {
  private static final String ORG = "org_01a2027d96b37000a3d30fd0ac5b835e";
  private static final int BESIDE = 500; // what the service's answer has beside the decision

  private static final class Row {
    final byte[] id;
    final byte[] decision;
    final byte[] signature;
    final byte[] context;
    final Thread waiting = Thread.currentThread();
    volatile boolean durable;

    Row(byte[] id, byte[] decision, byte[] signature, byte[] context) {
      this.id = id;
      this.decision = decision;
      this.signature = signature;
      this.context = context;
    }
  }

  private final BlockingQueue<Row> waiting = new LinkedBlockingQueue<>();
  private final ConcurrentLinkedQueue<Signature> idle = new ConcurrentLinkedQueue<>();
  private final PrivateKey key;

  private Bare() throws GeneralSecurityException {
    key = KeyPairGenerator.getInstance("Ed25519", AmazonCorrettoCryptoProvider.INSTANCE)
        .generateKeyPair()
        .getPrivate();
  }

  public static void main(String[] args) throws Exception {
    var bare = new Bare();
    Connection connection = DriverManager.getConnection(args[1]);
    Thread.ofPlatform().name("writer").start(() -> bare.write(connection));
    var server = new Server();
    var connector = new ServerConnector(server, 1, 1);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(args[0]));
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract.NonBlocking() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            Thread.startVirtualThread(() -> bare.answer(request, response, callback));
            return true;
          }
        });
    server.start();
  }

  private void answer(Request request, Response response, Callback callback) {
    try {
      byte[] body = Content.Source.asInputStream(request).readAllBytes();
      byte[] answer = body.length == 0 ? body : decide(body);
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
      response.write(true, ByteBuffer.wrap(answer), callback);
    } catch (Exception e) {
      callback.failed(e);
    }
  }

  private byte[] decide(byte[] body) throws GeneralSecurityException, JsonFault {
    byte[] context = CanonicalJson.bytes(Json.parseObject(body));
    var id = new UUID(
        System.currentTimeMillis() << 16 | 0x7000, ThreadLocalRandom.current().nextLong() >>> 2 | 1L << 63);
    byte[] decision = decision(id, "sha256:" + Sha256.hex(context));
    byte[] signature = sign(decision);
    var row = new Row(bytes(id), decision, signature, context);
    waiting.add(row);
    while (!row.durable) {
      LockSupport.park(row);
    }
    return ByteBuffer.allocate(2 * decision.length + BESIDE)
        .put(decision)
        .put(decision)
        .put(Base64.getEncoder().encode(signature))
        .array();
  }

  /** About the members and the length of a real one. */
  private static byte[] decision(UUID id, String digest) {
    JsonObject.Builder decision = JsonObject.builder();
    decision.put("agent_id", "ap_ac578821a55c4236b6be7d9096b9fca1").put("allow", true).put("assurance_level", "L0");
    decision.put("context_digest", digest).put("created_at", "2026-01-01T00:00:00Z");
    decision.put("decision_id", id.toString()).put("expires_at", "2026-01-01T00:00:00Z");
    decision.put("issued_at", "2026-01-01T00:00:00.000Z").put("kid", "oap:registry:decision-d2dd61f30e733b64");
    decision.put("owner_id", ORG).put("passport_digest", digest);
    decision.put("passport_id", "ac578821-a55c-4236-b6be-7d9096b9fca1").put("passport_source", "registry");
    decision.put("policy_digest", digest).put("policy_id", "web.fetch.v1").put("policy_source", "registry");
    decision.put("reason", "Every check of the policy passed.");
    return CanonicalJson.bytes(decision.build());
  }

  private byte[] sign(byte[] decision) throws GeneralSecurityException {
    Signature signature = idle.poll();
    if (signature == null) {
      signature = Signature.getInstance("Ed25519", AmazonCorrettoCryptoProvider.INSTANCE);
      signature.initSign(key);
    }
    signature.update(decision);
    byte[] signed = signature.sign();
    idle.offer(signature);
    return signed;
  }

  private static byte[] bytes(UUID id) {
    return ByteBuffer.allocate(16)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  private void write(Connection connection) {
    try {
      boolean sqlite = connection.getMetaData().getURL().startsWith("jdbc:sqlite:");
      PreparedStatement insert = sqlite ? onSqlite(connection) : onPostgres(connection);
      var rows = new ArrayList<Row>();
      for (long next = 0; ; next += rows.size()) {
        rows.clear();
        rows.add(waiting.take());
        waiting.drainTo(rows, 511);
        if (sqlite) {
          oneByOne(insert, rows, next);
        } else {
          together(insert, rows, next);
        }
        connection.commit();
        for (Row row : rows) {
          row.durable = true;
          LockSupport.unpark(row.waiting);
        }
      }
    } catch (SQLException | InterruptedException e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static PreparedStatement onSqlite(Connection connection) throws SQLException {
    make(
        connection,
        "PRAGMA page_size = 8192",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE decision (place INTEGER PRIMARY KEY, id BLOB NOT NULL, org TEXT NOT NULL,"
            + " body BLOB NOT NULL, signature BLOB NOT NULL, context BLOB NOT NULL) STRICT");
    return connection.prepareStatement("INSERT INTO decision VALUES (?, ?, ?, ?, ?, ?)");
  }

  private static PreparedStatement onPostgres(Connection connection) throws SQLException {
    make(
        connection,
        "CREATE TABLE decision (place BIGINT PRIMARY KEY, id BYTEA NOT NULL, org TEXT NOT NULL,"
            + " body BYTEA NOT NULL, signature BYTEA NOT NULL, context BYTEA NOT NULL)");
    return connection.prepareStatement(
        "INSERT INTO decision SELECT place, id, '" + ORG + "', body, signature, context"
            + " FROM unnest(?::bigint[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[])"
            + " AS row (place, id, body, signature, context)");
  }

  private static void make(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
      statement.execute("CREATE UNIQUE INDEX decision_id ON decision (id)");
      statement.execute("CREATE INDEX decision_org ON decision (org)");
    }
    connection.setAutoCommit(false);
  }

  private static void oneByOne(PreparedStatement insert, List<Row> rows, long next) throws SQLException {
    for (Row row : rows) {
      insert.setLong(1, next++);
      insert.setBytes(2, row.id);
      insert.setString(3, ORG);
      insert.setBytes(4, row.decision);
      insert.setBytes(5, row.signature);
      insert.setBytes(6, row.context);
      insert.addBatch();
    }
    insert.executeBatch();
  }

  private static void together(PreparedStatement insert, List<Row> rows, long next) throws SQLException {
    Long[] places = LongStream.range(next, next + rows.size()).boxed().toArray(Long[]::new);
    insert.setArray(1, insert.getConnection().createArrayOf("bigint", places));
    set(insert, 2, rows, row -> row.id);
    set(insert, 3, rows, row -> row.decision);
    set(insert, 4, rows, row -> row.signature);
    set(insert, 5, rows, row -> row.context);
    insert.executeUpdate();
  }

  private static void set(PreparedStatement insert, int at, List<Row> rows, Function<Row, byte[]> column)
      throws SQLException {
    byte[][] values = rows.stream().map(column).toArray(byte[][]::new);
    insert.setArray(at, insert.getConnection().createArrayOf("bytea", values));
  }
}
