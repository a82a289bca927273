package dev.safeconduct.app;

import dev.safeconduct.config.DurableFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
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
    try {
      DurableFile.write(path, text);
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
