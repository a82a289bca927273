package dev.safeconduct.verify;

import dev.safeconduct.audit.RedactedContext;
import dev.safeconduct.decision.Check;
import dev.safeconduct.decision.EvaluatedInputs;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the checks of one evaluation. Many checks share limits and context fields, so each value
 * is redacted and encoded once.
 */
final class TraceWriter {
  /** For an answer without a trace. */
  static final byte[] NOTHING = {};

  private static final byte[] EMPTY = ascii(",\"trace\":[]");

  private static final byte[] BEGIN = ascii(",\"trace\":[");
  private static final byte[] CHECK = ascii("{\"check\":");
  private static final byte[] PASSED = ascii(",\"passed\":true,\"limits\":{");
  private static final byte[] FAILED = ascii(",\"passed\":false,\"limits\":{");
  private static final byte[] CONTEXT = ascii("},\"context\":{");
  private static final byte[] LIFTED = ascii("{\"check\":\"dialect\",\"passed\":true,\"lifted\":");
  private static final byte[] SAW_NOTHING = ascii(",\"passed\":true,\"limits\":{},\"context\":{}}");
  private static final byte[] COMMA = ascii(",");

  /** The minimum length of cached values. Shorter values are written as fast as looked up. */
  private static final int SHORT = 24;

  private static final byte[] CLOSE = ascii("}");
  private static final byte[] END = ascii("]");

  /** A written member: its value, and the bytes of its name and redacted value. */
  @SuppressWarnings("ArrayRecordComponent") // written out, never compared
  private record Member(JsonValue value, byte[] written) {}

  private final JsonWriter out = JsonWriter.inOrder();
  private final Map<String, Member> limits = new HashMap<>();
  private final Map<String, Member> context = new HashMap<>();
  private final RedactedContext redacted;
  private final List<String> lifted;

  TraceWriter(RedactedContext redacted, List<String> lifted) {
    this.redacted = redacted;
    this.lifted = lifted;
  }

  /** Whether the answer has a trace: on request, and for a request with a faulty pack. */
  static boolean isWanted(VerifyRequest request, JudgedPack judged) {
    return request.options().explain() || !judged.faults().isEmpty();
  }

  /** Returns the trace of a replayed decision, whose checks are not known. */
  static byte[] ofReplay(VerifyRequest request, JudgedPack judged) {
    return isWanted(request, judged) ? EMPTY : NOTHING;
  }

  /** {@code ,"trace":[…]}. */
  byte[] write(List<Check> checks) {
    out.raw(BEGIN);
    boolean first = true;
    if (!lifted.isEmpty()) {
      out.raw(LIFTED).value(JsonArray.ofStrings(lifted)).raw(CLOSE);
      first = false;
    }
    write(checks, first);
    return out.raw(END).bytes();
  }

  private void write(List<Check> checks, boolean none) {
    boolean first = none;
    for (Check check : checks) {
      if (!first) {
        out.raw(COMMA);
      }
      first = false;
      if (check.sawNothing()) {
        out.raw(CHECK).text(check.name()).raw(SAW_NOTHING);
        continue;
      }
      out.raw(CHECK).text(check.name()).raw(check.passed() ? PASSED : FAILED);
      members(check.limits(), limits);
      out.raw(CONTEXT);
      members(check.context(), context);
      out.raw(CLOSE);
      if (!check.further().isEmpty()) {
        redacted
            .object(check.further())
            .forEach((name, value) -> out.raw(COMMA).name(name).value(value));
      }
      out.raw(CLOSE);
    }
  }

  private void members(EvaluatedInputs looked, Map<String, Member> known) {
    boolean first = true;
    for (int i = 0; i < looked.names().size(); i++) {
      String name = looked.names().get(i);
      JsonValue value = looked.value(name);
      if (value == null) {
        continue;
      }
      if (!first) {
        out.raw(COMMA);
      }
      first = false;
      member(name, value, known);
    }
  }

  @SuppressWarnings("ReferenceEquality") // the same value in another place, not an equal one
  private void member(String name, JsonValue value, Map<String, Member> known) {
    boolean dear = isDear(value);
    Member member = dear ? known.get(name) : null;
    if (member != null && member.value() == value) {
      out.raw(member.written());
      return;
    }
    int start = out.length();
    JsonValue done = redacted.asked().get(name) == value ? redacted.shown().get(name) : null;
    out.name(name).value(done == null ? redacted.member(name, value) : done);
    if (dear) {
      known.put(name, new Member(value, out.bytesFrom(start)));
    }
  }

  private static boolean isDear(JsonValue value) {
    return switch (value) {
      case JsonString text -> text.value().length() >= SHORT;
      case JsonArray _, JsonObject _ -> true;
      default -> false;
    };
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
