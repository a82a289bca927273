package dev.safeconduct.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Frames in words, as {@code http2-cases.txt} says them. */
final class Http2Script {
  private static final List<String> TYPES =
      List.of(
          "DATA",
          "HEADERS",
          "PRIORITY",
          "RST_STREAM",
          "SETTINGS",
          "PUSH_PROMISE",
          "PING",
          "GOAWAY",
          "WINDOW_UPDATE",
          "CONTINUATION");

  private static final Map<String, Integer> FLAGS =
      Map.of("END", 0x1, "ACK", 0x1, "HEADS", 0x4, "PADDED", 0x8, "PRIO", 0x20);

  private static final String HEAD = ":scheme https :authority localhost ";

  private static final Map<String, String> REQUESTS =
      Map.of(
          "GET", ":method GET :path /things " + HEAD.strip(),
          "MUCH", ":method GET :path /much " + HEAD.strip(),
          "POST",
              ":method POST :path /verify "
                  + HEAD
                  + "x-api-key reader content-type application/json");

  private static final Pattern FRAME = Pattern.compile("([^@]+)@([0-9]+)(r?)(?: (.*))?");
  private static final Pattern PART = Pattern.compile("(GET|POST|MUCH)|([ftxzsw])\\(([^)]*)\\)");

  private Http2Script() {}

  static void send(RawHttp2 connection, String text) throws IOException {
    Matcher frame = FRAME.matcher(text);
    if (!frame.matches()) {
      throw new AssertionError("no frame: " + text);
    }
    String[] words = frame.group(1).split("\\+", -1);
    int type = TYPES.indexOf(words[0]);
    int flags = 0;
    for (int i = 1; i < words.length; i++) {
      flags |= FLAGS.containsKey(words[i]) ? FLAGS.get(words[i]) : Integer.decode(words[i]);
    }
    int reserved = frame.group(3).isEmpty() ? 0 : Integer.MIN_VALUE;
    connection.frame(
        type < 0 ? Integer.decode(words[0]) : type,
        flags,
        reserved | Integer.parseInt(frame.group(2)),
        payload(frame.group(4) == null ? "" : frame.group(4)));
  }

  private static byte[] payload(String text) {
    var payload = new ByteArrayOutputStream();
    Matcher part = PART.matcher(text);
    int at = 0;
    for (; part.find(); at = part.end()) {
      if (part.start() != at) {
        throw new AssertionError("no payload: " + text.substring(at));
      }
      String request = part.group(1);
      payload.writeBytes(request == null ? part(part) : fields(REQUESTS.getOrDefault(request, "")));
    }
    if (at != text.length()) {
      throw new AssertionError("no payload: " + text.substring(at));
    }
    return payload.toByteArray();
  }

  private static byte[] part(Matcher part) {
    String value = part.group(3);
    return switch (part.group(2)) {
      case "f" -> fields(value);
      case "t" -> value.getBytes(StandardCharsets.US_ASCII);
      case "x" -> HexFormat.of().parseHex(value);
      case "z" -> new byte[Integer.parseInt(value)];
      case "s" -> setting(value.split("=", -1));
      case "w" -> {
        byte[] blanks = new byte[Integer.parseInt(value)];
        Arrays.fill(blanks, (byte) ' ');
        yield blanks;
      }
      default -> throw new AssertionError(part.group());
    };
  }

  private static byte[] setting(String... pair) {
    return ByteBuffer.allocate(6)
        .putShort(Short.parseShort(pair[0]))
        .putInt((int) Long.parseLong(pair[1]))
        .array();
  }

  private static byte[] fields(String pairs) {
    String[] words = pairs.split(" ", -1);
    for (int i = 0; i < words.length; i++) {
      words[i] = URLDecoder.decode(words[i].replace("+", "%2B"), StandardCharsets.ISO_8859_1);
    }
    return RawHttp2.block(words);
  }
}
