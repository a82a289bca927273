package dev.safeconduct.testkit;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folder into which letters go when there is no mail server. */
public record Letters(Path folder) {
  private static final int WAIT_SECONDS = 20;

  /** Makes the folder, so that it can be watched before the first letter. */
  public static void folder(Path folder) throws IOException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /** The letters to the address that are there now, the oldest first. */
  public List<String> to(String email) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".eml"))
          .sorted(Comparator.comparing(Letters::written).thenComparing(Comparator.naturalOrder()))
          .map(Letters::text)
          .filter(text -> text.contains("\r\nTo: " + email + "\r\n"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FileTime written(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until so many letters to the address are there. */
  public List<String> await(String email, int count) {
    try (WatchService watch = folder.getFileSystem().newWatchService()) {
      folder.register(watch, ENTRY_CREATE);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
      while (System.nanoTime() < end) {
        List<String> found = to(email);
        if (found.size() >= count) {
          return found;
        }
        var key = watch.poll(1, TimeUnit.SECONDS);
        if (key != null) {
          key.pollEvents();
          key.reset();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new AssertionError("no " + count + " letters to " + email + " but " + to(email));
  }

  /** The path of the link in the newest letter to the address, once there is one. */
  public String link(String email, String begins) {
    return path(await(email, 1).getLast(), begins);
  }

  /** The path of the link in a letter. */
  public static String path(String letter, String begins) {
    Matcher found =
        Pattern.compile("https?://[^/\\s]+(" + begins + "[A-Za-z0-9_-]+)").matcher(letter);
    if (!found.find()) {
      throw new AssertionError("no link in " + letter);
    }
    return found.group(1);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
