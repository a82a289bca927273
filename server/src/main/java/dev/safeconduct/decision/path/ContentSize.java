package dev.safeconduct.decision.path;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import java.util.Optional;

/**
 * {@code validateFileContentSize}: the larger of the announced and the sent size, in bytes, against
 * a limit in mebibytes (pack catalogue 3, rule 4).
 */
final class ContentSize {
  private static final String LIMIT = "max_file_size_mb";
  private static final double MEBIBYTE = 1_048_576;

  private ContentSize() {}

  static RuleResult check(Facts facts) {
    JsonObject context = facts.context();
    Optional<String> content = context.string("content");
    double announced = context.get("content_length") instanceof JsonNumber(double n, _) ? n : -1;
    if (content.isEmpty() && announced < 0) {
      return RuleResult.pass();
    }
    return switch (facts.limits().number(LIMIT)) {
      case Reading.Absent<Double> _ -> RuleResult.pass();
      case Reading.Malformed<Double> _ ->
          RuleResult.fail("The limit " + LIMIT + " is not a number of at least 0.");
      case Reading.Present<Double>(Double most) -> {
        double size = Math.max(announced, content.map(ContentSize::utf8Length).orElse(0L));
        yield size > most * MEBIBYTE
            ? RuleResult.fail((long) size + " bytes are more than " + LIMIT + " allows.")
            : RuleResult.pass();
      }
    };
  }

  /** The number of bytes the text takes in UTF-8. */
  static long utf8Length(String text) {
    long bytes = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x800 && !Character.isSurrogate(c)) {
        bytes += 2;
      } else if (c >= 0x80) {
        bytes++; // each half of a surrogate pair takes two of the pair's four bytes
      }
    }
    return bytes;
  }
}
