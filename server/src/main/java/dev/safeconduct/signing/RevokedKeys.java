package dev.safeconduct.signing;

import dev.safeconduct.config.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys that this node has seen revoked, in a file outside the database. Somebody who has an
 * earlier copy of the rows, with their seals, and alters the records of the log cannot bring such a
 * key back.
 */
public final class RevokedKeys {
  private static final String FILE = "revoked-keys.txt";
  private static final Logger LOG = LoggerFactory.getLogger(RevokedKeys.class);

  private final Optional<Path> file;
  private final IntSupplier acceptances;
  private Set<String> kids;
  private int accepted;

  /**
   * Reads the file.
   *
   * @param folder where it is; empty if only this process remembers
   * @param acceptances how often an operator has accepted an earlier log since the start, which may
   *     be from before a revocation
   * @throws IOException when there is a file that cannot be read
   */
  public RevokedKeys(Optional<Path> folder, IntSupplier acceptances) throws IOException {
    this.file = folder.map(path -> path.resolve(FILE));
    this.acceptances = acceptances;
    this.kids = file.isPresent() ? load(file.get()) : Set.of();
  }

  private static Set<String> load(Path file) throws IOException {
    try {
      return new HashSet<>(Files.readAllLines(file));
    } catch (NoSuchFileException _) {
      return Set.of();
    }
  }

  /** Makes the node of this folder forget them, for a database from before the revocation. */
  public static void forget(Path folder) throws IOException {
    Files.deleteIfExists(folder.resolve(FILE));
  }

  /** Returns a sentence for each key that was revoked and is not any more. */
  synchronized List<String> faults(List<SealedKey> rows) {
    if (accepted != acceptances.getAsInt()) {
      accepted = acceptances.getAsInt();
      forgetAll();
    }
    return rows.stream()
        .filter(key -> key.revokedAt().isEmpty() && kids.contains(key.kid()))
        .map(key ->
            "the signing key " + key.kid() + " was revoked, but no longer is in the database")
        .toList();
  }

  private void forgetAll() {
    kids = Set.of();
    try {
      if (file.isPresent()) {
        Files.deleteIfExists(file.get());
      }
    } catch (IOException e) {
      LOG.warn(
          "{} cannot be deleted: the next start refuses keys that were revoked after the accepted"
              + " log. ({})",
          file.map(Path::toString).orElse(FILE),
          e.toString());
    }
  }

  /** Notes the revoked ones of rows without a fault. */
  synchronized void note(List<SealedKey> rows) {
    var known = new TreeSet<String>(kids);
    rows.stream().filter(key -> key.revokedAt().isPresent()).forEach(key -> known.add(key.kid()));
    if (known.equals(kids)) {
      return;
    }
    kids = known;
    try {
      if (file.isPresent()) {
        DurableFile.write(file.get(), String.join("\n", known) + "\n");
      }
    } catch (IOException e) {
      LOG.warn(
          "{} cannot be written: the next start may not notice a revoked key that is used again."
              + " ({})",
          file.map(Path::toString).orElse(FILE),
          e.toString());
    }
  }
}
