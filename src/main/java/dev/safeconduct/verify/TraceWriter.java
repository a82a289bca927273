package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.Check;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the checks of one judgement. The same limits and context fields stand in many of them, so
 * each is redacted and encoded once.
 */
final class TraceWriter {
  private static final byte[] BEGIN = ascii(",\"trace\":[");
  private static final byte[] CHECK = ascii("{\"check\":");
  private static final byte[] PASSED = ascii(",\"passed\":true,\"limits\":{");
  private static final byte[] FAILED = ascii(",\"passed\":false,\"limits\":{");
  private static final byte[] CONTEXT = ascii("},\"context\":{");
  private static final byte[] LIFTED = ascii("{\"check\":\"dialect\",\"passed\":true,\"lifted\":");
  private static final byte[] COMMA = ascii(",");
  private static final byte[] COLON = ascii(":");
  private static final byte[] CLOSE = ascii("}");
  private static final byte[] END = ascii("]");

  /** A member as it was written: its value, and its name and redacted value in bytes. */
  @SuppressWarnings("ArrayRecordComponent") // written out, never compared
  private record Member(JsonValue value, byte[] written) {}

  private final Redaction redaction;
  private final JsonWriter out = JsonWriter.inOrder(2048);
  private final Map<String, Member> limits = new HashMap<>();
  private final Map<String, Member> context = new HashMap<>();

  TraceWriter(Redaction redaction) {
    this.redaction = redaction;
  }

  /** {@code ,"trace":[…]}. */
  byte[] write(Verified verified) {
    out.raw(BEGIN);
    boolean first = true;
    if (!verified.lifted().isEmpty()) {
      out.raw(LIFTED).value(JsonArray.ofStrings(verified.lifted())).raw(CLOSE);
      first = false;
    }
    write(verified.trace(), first);
    return out.raw(END).bytes();
  }

  private void write(List<Check> checks, boolean none) {
    boolean first = none;
    for (Check check : checks) {
      if (!first) {
        out.raw(COMMA);
      }
      first = false;
      out.raw(CHECK).text(check.name()).raw(check.passed() ? PASSED : FAILED);
      members(check.limits(), limits);
      out.raw(CONTEXT);
      members(check.context(), context);
      out.raw(CLOSE);
      redaction.of(check.further()).forEach((name, value) -> member(name, value));
      out.raw(CLOSE);
    }
  }

  private void member(String name, JsonValue value) {
    out.raw(COMMA).text(name).raw(COLON).value(value);
  }

  private void members(JsonObject values, Map<String, Member> known) {
    if (values.isEmpty()) {
      return;
    }
    int begin = out.length();
    values.forEach((name, value) -> {
      if (out.length() > begin) {
        out.raw(COMMA);
      }
      member(name, value, known);
    });
  }

  @SuppressWarnings("ReferenceEquality") // the same value in another check, not an equal one
  private void member(String name, JsonValue value, Map<String, Member> known) {
    Member member = known.get(name);
    if (member != null && member.value() == value) {
      out.raw(member.written());
      return;
    }
    int start = out.length();
    out.text(name).raw(COLON).value(redaction.member(name, value));
    known.put(name, new Member(value, out.bytesFrom(start)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
