package dev.safeconduct.audit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of an export file.
 *
 * @param records the number of lines with records
 * @param last the position of the last record; -1 when the file is empty
 */
public record ExportedLines(long records, long last) {
  /** Matches the position in a line of either format. */
  private static final Pattern PLACE = Pattern.compile("^(\\d+),|\"log_index\":(\\d+)[,}]");

  /** Reads the file and truncates an incomplete last line. */
  public static ExportedLines whole(Path file) throws IOException {
    if (!Files.exists(file)) {
      return new ExportedLines(0, -1);
    }
    long end = 0;
    long at = 0;
    long records = 0;
    long last = -1;
    var line = new ByteArrayOutputStream();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 64 * 1024)) {
      for (int next = in.read(); next >= 0; next = in.read()) {
        at++;
        if (next != '\n') {
          line.write(next);
          continue;
        }
        end = at;
        Matcher place = PLACE.matcher(line.toString(StandardCharsets.UTF_8));
        if (place.find()) {
          records++;
          last = Long.parseLong(place.group(1) == null ? place.group(2) : place.group(1));
        }
        line.reset();
      }
    }
    if (end < at) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(end);
      }
    }
    if (records == 0 && end > 0) {
      Files.delete(file); // a header line alone is written again
    }
    return new ExportedLines(records, last);
  }
}
