package dev.safeconduct.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Files that must survive a power cut, such as keys; readable by their owner only. */
public final class DurableFile {
  private DurableFile() {}

  /**
   * Replaces the file's text. Once this returns, the file is on the disk and complete; before, it
   * has its old text or none. A key may be used only after this.
   */
  public static void write(Path file, String text) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(next);
    try (FileChannel channel =
        FileChannel.open(
            next,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            OwnerOnly.NEW_FILE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    // The name is in the folder, which has to be flushed too.
    try (FileChannel folder =
        FileChannel.open(file.toAbsolutePath().resolveSibling(""), StandardOpenOption.READ)) {
      folder.force(true);
    }
  }
}
