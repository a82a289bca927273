import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.KeyMaterial;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.RevokedKeys;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.signing.Vault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Signatures a second over 700 bytes, as long as a decision, by keys in memory and by keys in a
 * security module: arguments are a folder, the module's configuration and its PIN.
 */
final class SigningRate {
  private static final int BYTES = 700;
  private static final long SECOND = 1_000_000_000L;

  private SigningRate() {}

  public static void main(String[] args) throws Exception {
    var random = new SecureRandom();
    MasterKey master = MasterKey.of("only for measuring, with 24 characters", random);
    Path folder = Path.of(args[0]);
    try (PrivateKeys memory = PrivateKeys.inMemory(master, Ed25519.fastest());
        PrivateKeys module =
            PrivateKeys.withModule(
                master,
                Ed25519.fastest(),
                KeyMaterial.find().open(Path.of(args[1]), args[2]),
                EnumSet.of(Purpose.DECISION))) {
      measure("in memory", signer(folder.resolve("memory"), memory, random));
      measure("in the module", signer(folder.resolve("module"), module, random));
    }
  }

  private static Signer signer(Path folder, PrivateKeys material, SecureRandom random)
      throws Exception {
    Files.createDirectories(folder);
    try (Storage store = Storage.open(StoreConfig.sqlite(folder))) {
      var revoked = new RevokedKeys(Optional.empty(), () -> 0);
      return KeyRing.open(new Vault(store), material, revoked, Instant.now(), random)
          .signer(Purpose.DECISION);
    }
  }

  private static void measure(String name, Signer signer) throws Exception {
    for (int threads : new int[] {1, 8, 64}) {
      rate(signer, threads, 2 * SECOND);
      System.out.printf("%s, %d threads: %,d/s%n", name, threads, rate(signer, threads, 5 * SECOND));
    }
  }

  private static long rate(Signer signer, int count, long nanos) throws Exception {
    byte[] message = new byte[BYTES];
    try (var threads = Executors.newFixedThreadPool(count)) {
      long began = System.nanoTime();
      Callable<Long> work =
          () -> {
            long done = 0;
            while (System.nanoTime() - began < nanos) {
              signer.sign(message);
              done++;
            }
            return done;
          };
      var running = new ArrayList<Future<Long>>();
      for (int i = 0; i < count; i++) {
        running.add(threads.submit(work));
      }
      long all = 0;
      for (Future<Long> each : running) {
        all += each.get();
      }
      return all * SECOND / (System.nanoTime() - began);
    }
  }
}
