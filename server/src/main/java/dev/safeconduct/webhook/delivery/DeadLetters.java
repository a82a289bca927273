package dev.safeconduct.webhook.delivery;

import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line of JSON for each delivery that was given up: to the logger {@code deadletter}, and
 * at the end of a file of its own, readable by its owner only. The file is opened for each line, so
 * that it can be moved away at any time.
 */
final class DeadLetters {
  private static final Logger DEAD_LETTER = LoggerFactory.getLogger("deadletter");
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);

  private final Path file;

  DeadLetters(Path file) {
    this.file = file;
  }

  /** Writes the line; a full disk must not fail a status change that has been committed. */
  void add(WebhookEvent event, ReceiverUrl url, DeliverWithRetries.Result result, Instant now) {
    String line = Json.text(letter(event, url, result, now));
    DEAD_LETTER.warn(line);
    try {
      append(line + "\n");
    } catch (IOException e) {
      LOG.error("{} could not be written: {}", file, e.getMessage());
    }
  }

  private static JsonObject letter(
      WebhookEvent event, ReceiverUrl url, DeliverWithRetries.Result result, Instant now) {
    return JsonObject.builder()
        .put("timestamp", IsoInstant.millis(now))
        .put("webhook_url", url.text())
        .put("payload", event.payload())
        .put("failure_reason", result.last().failure().orElseThrow())
        .put("attempts", result.attempts())
        .putNumberOrNull("response_status", result.last().status())
        .build();
  }

  /** In one write, so that lines of several threads do not mix. */
  private synchronized void append(String line) throws IOException {
    try (SeekableByteChannel channel =
        Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            OwnerOnly.NEW_FILE)) {
      channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
    }
  }
}
