package dev.safeconduct.audit.stream;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes records as syslog messages (RFC 5424) with octet counting (RFC 5425 section 4.3). The
 * message is JSON in ASCII, so it needs no byte order mark. A record that does not fit into one
 * message is sent in numbered parts and never shortened.
 *
 * @param hostname of this service, as messages name it
 * @param software its version
 * @param mostBytes the largest message, without the octet count
 */
record SyslogMessage(String hostname, String software, int mostBytes) {
  /** "Log audit" (RFC 5424 section 6.2.1). */
  private static final int FACILITY = 13;

  private static final int FACILITY_FACTOR = 8;

  /** The largest sequenceId (RFC 5424 section 7.3.1); after it comes 1 again. */
  private static final long MOST_SEQUENCE = Integer.MAX_VALUE;

  /** The length of an escape, a backslash, u and four digits. */
  private static final int ESCAPE = 6;

  private static final char DELETE = 0x7f;

  /** Only to reserve room for the numbers. */
  private static final int MOST_PARTS = 99_999;

  SyslogMessage {
    hostname = visible(hostname, 255);
  }

  void write(StreamRecord record, OutputStream out) throws IOException {
    String head = head(record);
    String json = ascii(record.json());
    if (head.length() + json.length() <= mostBytes) {
      frame(head + json, out);
      return;
    }
    int room = mostBytes - head.length() - part(record, MOST_PARTS, MOST_PARTS, "").length();
    List<String> pieces = pieces(record.json(), room);
    for (int i = 0; i < pieces.size(); i++) {
      frame(head + ascii(part(record, i + 1, pieces.size(), pieces.get(i))), out);
    }
  }

  /** Cuts a text so that each piece as a JSON string in ASCII has at most that many characters. */
  private static List<String> pieces(String text, int room) {
    var pieces = new ArrayList<String>();
    int from = 0;
    int used = 0;
    for (int at = 0; at < text.length(); ) {
      int next = text.codePointAt(at);
      int chars = Character.charCount(next);
      int cost = next >= DELETE ? ESCAPE * chars : next == '"' || next == '\\' ? 2 : 1;
      if (used + cost > room) {
        pieces.add(text.substring(from, at));
        from = at;
        used = 0;
      }
      used += cost;
      at += chars;
    }
    pieces.add(text.substring(from));
    return pieces;
  }

  private static String part(StreamRecord record, int part, int parts, String text) {
    return Json.text(
        JsonObject.builder()
            .put("record_id", record.id())
            .put("log_index", record.index())
            .put("part", part)
            .put("parts", parts)
            .put("text", text)
            .build());
  }

  private String head(StreamRecord record) {
    return "<"
        + (FACILITY * FACILITY_FACTOR + record.severity().code())
        + ">1 "
        + IsoInstant.millis(record.at())
        + " "
        + hostname
        + " safeconduct - "
        + record.kind().wire()
        + " [origin software=\"safeconduct\" swVersion=\""
        + software
        + "\"][meta sequenceId=\""
        + (record.index() % MOST_SEQUENCE + 1)
        + "\"] ";
  }

  private static void frame(String message, OutputStream out) throws IOException {
    out.write((message.length() + " " + message).getBytes(StandardCharsets.US_ASCII));
  }

  /** JSON in which each character beyond ASCII is escaped. */
  static String ascii(String json) {
    StringBuilder text = null;
    for (int i = 0; i < json.length(); i++) {
      char next = json.charAt(i);
      if (next >= DELETE) {
        if (text == null) {
          text = new StringBuilder(json.length() + 64).append(json, 0, i);
        }
        text.append("\\u");
        String hex = Integer.toHexString(next);
        text.repeat('0', 4 - hex.length()).append(hex);
      } else if (text != null) {
        text.append(next);
      }
    }
    return text == null ? json : text.toString();
  }

  /** A header field of visible ASCII characters (RFC 5424 section 6), "-" for an empty one. */
  private static String visible(String text, int most) {
    String kept = text.replaceAll("[^!-~]", "");
    return kept.isEmpty() ? "-" : kept.substring(0, Math.min(most, kept.length()));
  }
}
