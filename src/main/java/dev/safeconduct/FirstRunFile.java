package dev.safeconduct;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The file that only its owner may read and that holds what is shown once. It is written before the
 * store knows of any of it, so that a start which ends in between loses nothing.
 */
final class FirstRunFile {
  private static final Pattern LINK = Pattern.compile("  your password .*\n.*\n");

  private final Path path;

  FirstRunFile(Path folder) {
    this.path = folder.resolve("first-run.txt");
  }

  Path path() {
    return path;
  }

  /** What is in it. */
  Optional<String> text() {
    try {
      return Files.exists(path) ? Optional.of(Files.readString(path)) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Keeps this and nothing else. */
  void keep(String text) {
    Path next = path.resolveSibling("first-run.txt.new");
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try {
      Files.deleteIfExists(next);
      try (FileChannel channel =
          FileChannel.open(
              next, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be written: " + e.getMessage(), e);
    }
  }

  /** Adds to what is kept. */
  void add(String text) {
    keep(text().orElse("") + text);
  }

  /** Keeps this link in place of one that an unfinished start left. */
  void link(String text) {
    keep(LINK.matcher(text().orElse("")).replaceAll("") + text);
  }

  /** Puts back what was there before. */
  void restore(Optional<String> before) {
    before.ifPresentOrElse(this::keep, this::remove);
  }

  void remove() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be deleted: " + e.getMessage(), e);
    }
  }
}
