package dev.safeconduct.app;

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
 * The file with the secrets that are shown once, readable by its owner only. It is written before
 * the secrets are stored, so an interrupted start loses nothing.
 */
public final class FirstRunFile {
  private static final Pattern LINK = Pattern.compile("\n  Set the owner's password: .*\n.*\n");

  private final Path path;

  public FirstRunFile(Path folder) {
    this.path = folder.resolve("first-run.txt");
  }

  Path path() {
    return path;
  }

  /** Returns the file's text; empty when there is no file. */
  Optional<String> text() {
    try {
      return Files.exists(path) ? Optional.of(Files.readString(path)) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Replaces the file's text. */
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

  /** Appends to the file's text. */
  void add(String text) {
    keep(text().orElse("") + text);
  }

  /** Stores the link in place of one from an unfinished start. */
  void link(String text) {
    keep(LINK.matcher(text().orElse("")).replaceAll("") + text);
  }

  /** Restores the earlier text. */
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
