package dev.safeconduct.cli;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads files that others handed over: they can be of any size and content. */
final class GivenFile {
  /** No answer of the service is longer. */
  private static final int MAX_MEBIBYTES = 64;

  private GivenFile() {}

  /**
   * Returns the whole file.
   *
   * @throws IOException when it cannot be read, or is larger than any answer of the service
   */
  static byte[] bytes(Path file) throws IOException {
    int most = MAX_MEBIBYTES << 20;
    try (InputStream in = Files.newInputStream(file)) {
      byte[] read = in.readNBytes(most + 1);
      if (read.length > most) {
        throw new IOException(file + " is larger than " + MAX_MEBIBYTES + " MiB");
      }
      return read;
    }
  }

  /**
   * Returns the file's JSON object.
   *
   * @throws IOException as {@link #bytes}, and when it is not a JSON object
   */
  static JsonObject object(Path file) throws IOException {
    try {
      return Json.parseObject(bytes(file));
    } catch (JsonFault e) {
      throw new IOException(file + ": " + e.about("The file"), e);
    }
  }

  /**
   * Returns the whole file as text.
   *
   * @throws IOException as {@link #bytes}, and when it is not UTF-8
   */
  static String text(Path file) throws IOException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(file))).toString();
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not UTF-8 text", e);
    }
  }
}
