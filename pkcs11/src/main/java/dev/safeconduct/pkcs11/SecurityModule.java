package dev.safeconduct.pkcs11;

import dev.safeconduct.signing.KeyMaterial;
import dev.safeconduct.signing.ModuleFault;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A slot of a security module and the Ed25519 keys in it, known by their {@code CKA_ID}; any number
 * of nodes may share it. Safe for any number of threads.
 *
 * <p>The module is called on threads of its own: a request's virtual thread that waited in native
 * code would keep a processor from all others, and one that waits here can give up.
 */
final class SecurityModule implements KeyMaterial.Keys {
  /** Each has a session at most. */
  private static final int THREADS = 16;

  private static final int MOST_WAITING = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** {@code id-Ed25519} as RFC 8410 has it, and the name that older modules know. */
  private static final List<byte[]> CURVES =
      List.of(
          HexFormat.of().parseHex("06032b6570"),
          HexFormat.of().parseHex("130c656477617264733235353139"));

  /** An OCTET STRING of 32 bytes (RFC 8410 has the point bare, PKCS #11 2.40 wraps it). */
  private static final byte[] WRAPPED = {0x04, 0x20};

  private static final int POINT = 32;

  private final Cryptoki cryptoki;
  private final long slot;
  private final byte[] pin;
  private final Duration patience;
  private final ConcurrentLinkedQueue<ModuleSession> idle = new ConcurrentLinkedQueue<>();

  /** Why the PIN was refused. It is not tried again: modules lock themselves after a few times. */
  private final AtomicReference<@Nullable String> refusal = new AtomicReference<>();

  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          1,
          TimeUnit.MINUTES,
          new ArrayBlockingQueue<>(MOST_WAITING),
          Thread.ofPlatform().name("security-module-", 0).daemon().factory());

  private SecurityModule(Cryptoki cryptoki, long slot, byte[] pin, Duration patience) {
    this.cryptoki = cryptoki;
    this.slot = slot;
    this.pin = pin;
    this.patience = patience;
  }

  /**
   * Opens the slot and logs in.
   *
   * @param config the provider's configuration file, as for {@link Pkcs11KeyMaterial#masterSecret}
   * @throws ModuleFault when the library, the slot or the PIN does not serve
   */
  static SecurityModule open(Path config, String pin) throws ModuleFault {
    SecurityModule module = at(config, pin);
    try {
      module.afresh(session -> true);
    } catch (ModuleFault e) {
      module.close();
      throw new ModuleFault("The security module cannot be used: " + e.getMessage(), e);
    }
    return module;
  }

  /** The slot, without a try whether the PIN serves. */
  static SecurityModule at(Path config, String pin) throws ModuleFault {
    return at(config, pin, PATIENCE);
  }

  /** The same, with a bound of one's own on the wait for its answers. */
  static SecurityModule at(Path config, String pin, Duration patience) throws ModuleFault {
    ModuleConfig where = ModuleConfig.read(config);
    Cryptoki cryptoki = Cryptoki.load(where.library());
    long slot = where.choose(cryptoki.slots());
    return new SecurityModule(cryptoki, slot, pin.getBytes(StandardCharsets.UTF_8), patience);
  }

  @Override
  public byte[] generate(byte[] id, String label) throws ModuleFault {
    return afresh(session -> {
      if (!session.find(Attribute.PRIVATE_KEY, id).isEmpty()) {
        throw new ModuleFault("it has a key of the id " + HexFormat.of().formatHex(id));
      }
      return point(session.attribute(pair(session, id, label), Attribute.EC_POINT));
    });
  }

  private static long pair(ModuleSession session, byte[] id, String label) throws ModuleFault {
    List<Attribute> ofPrivate =
        List.of(
            Attribute.of(Attribute.TOKEN, true),
            Attribute.of(Attribute.PRIVATE, true),
            Attribute.of(Attribute.SENSITIVE, true),
            Attribute.of(Attribute.EXTRACTABLE, false),
            Attribute.of(Attribute.SIGN, true),
            Attribute.of(Attribute.DECRYPT, false),
            Attribute.of(Attribute.UNWRAP, false),
            Attribute.of(Attribute.DERIVE, false),
            new Attribute(Attribute.ID, id),
            Attribute.of(Attribute.LABEL, label));
    ModuleFault fault = null;
    for (byte[] curve : CURVES) {
      List<Attribute> ofPublic =
          List.of(
              Attribute.of(Attribute.TOKEN, true),
              Attribute.of(Attribute.VERIFY, true),
              new Attribute(Attribute.EC_PARAMS, curve),
              new Attribute(Attribute.ID, id),
              Attribute.of(Attribute.LABEL, label));
      try {
        return session.generateKeyPair(ofPublic, ofPrivate);
      } catch (ModuleFault e) {
        fault = e;
      }
    }
    throw fault == null ? new ModuleFault("it knows no curve") : fault;
  }

  /** The public key of {@code CKA_EC_POINT}, bare or wrapped. */
  static byte[] point(byte[] value) throws ModuleFault {
    if (value.length == POINT) {
      return value;
    }
    if (value.length == POINT + 2 && Arrays.equals(value, 0, 2, WRAPPED, 0, 2)) {
      return Arrays.copyOfRange(value, 2, POINT + 2);
    }
    throw new ModuleFault("its public key is none of Ed25519: " + HexFormat.of().formatHex(value));
  }

  /**
   * The 64 bytes of the signature over the message.
   *
   * @throws ModuleFault when there is no such key, or the module does not answer within ten seconds
   */
  @Override
  public byte[] sign(byte[] id, byte[] message) throws ModuleFault {
    return pooled(session -> session.sign(id, message));
  }

  @Override
  public void destroy(byte[] id) throws ModuleFault {
    afresh(session -> {
      session.destroy(Attribute.PRIVATE_KEY, id);
      session.destroy(Attribute.PUBLIC_KEY, id);
      return true;
    });
  }

  private interface Work<T> {
    T in(ModuleSession session) throws ModuleFault;
  }

  /** In a session that may have been used; when that one is broken, once more in a new one. */
  private <T> T pooled(Work<T> work) throws ModuleFault {
    return inTurn(() -> {
      ModuleSession used = idle.poll();
      if (used == null) {
        return inNew(work);
      }
      try {
        T answer = work.in(used);
        idle.offer(used);
        return answer;
      } catch (ModuleFault _) {
        // The module was restarted or the connection to it was lost, perhaps.
        used.close();
        return inNew(work);
      }
    });
  }

  /** In a new session and once: what makes something is not tried again by itself. */
  private <T> T afresh(Work<T> work) throws ModuleFault {
    return inTurn(() -> inNew(work));
  }

  private <T> T inNew(Work<T> work) throws ModuleFault {
    var session = new ModuleSession(cryptoki, cryptoki.openSession(slot));
    boolean whole = false;
    try {
      logIn(session);
      T answer = work.in(session);
      whole = true;
      return answer;
    } finally {
      if (whole) {
        idle.offer(session);
      } else {
        session.close();
      }
    }
  }

  private void logIn(ModuleSession session) throws ModuleFault {
    String refused = refusal.get();
    if (refused != null) {
      throw new ModuleFault(refused + " earlier, and the PIN is not tried again");
    }
    long code = session.login(pin);
    // Logged in is the process, and all its sessions with it.
    if (code != ReturnCode.OK && code != ReturnCode.USER_ALREADY_LOGGED_IN) {
      String said = "C_Login answered " + ReturnCode.name(code);
      if (ReturnCode.refusesPin(code)) {
        refusal.set(said);
      }
      throw new ModuleFault(said);
    }
  }

  private interface Turn<T> {
    T take() throws ModuleFault;
  }

  private <T> T inTurn(Turn<T> turn) throws ModuleFault {
    Future<T> answer;
    try {
      answer = threads.submit(turn::take);
    } catch (RejectedExecutionException e) {
      throw new ModuleFault("it is closed, or too much waits for it", e);
    }
    try {
      return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.cancel(false);
      throw new ModuleFault("it did not answer within " + patience.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      answer.cancel(false);
      Thread.currentThread().interrupt();
      throw new ModuleFault("the wait for it was interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ModuleFault fault) {
        throw fault;
      }
      throw new IllegalStateException("the call of the security module failed", e.getCause());
    }
  }

  /** Ends the sessions. The library stays as it is: the platform's provider uses it too. */
  @Override
  public void close() {
    threads.shutdown();
    boolean ended = false;
    try {
      ended = threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    for (ModuleSession each = idle.poll(); ended && each != null; each = idle.poll()) {
      each.close();
    }
    Arrays.fill(pin, (byte) 0);
  }
}
