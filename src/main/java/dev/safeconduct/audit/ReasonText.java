package dev.safeconduct.audit;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Words looked for in the reasons of decisions: each must occur, whatever its case. */
final class ReasonText {
  private final List<String> words;

  private ReasonText(List<String> words) {
    this.words = words;
  }

  static ReasonText of(String query) {
    return new ReasonText(
        Arrays.stream(query.strip().split("\\s+", -1))
            .filter(word -> !word.isEmpty())
            .map(word -> word.toLowerCase(Locale.ROOT))
            .toList());
  }

  boolean isEmpty() {
    return words.isEmpty();
  }

  boolean matches(StoredRecord record) {
    if (record.entry().kind() != RecordKind.DECISION || record.commitment().isErased()) {
      return false;
    }
    String text = reasons(record.entry().body()).toLowerCase(Locale.ROOT);
    return words.stream().allMatch(text::contains);
  }

  /** Codes, rules and messages of a decision's reasons. */
  private static String reasons(byte[] body) {
    try {
      var text = new StringBuilder();
      Json.parseObject(body)
          .array("reasons")
          .orElse(JsonArray.EMPTY)
          .forEach(reason -> {
            if (reason instanceof JsonObject object) {
              for (String name : List.of("code", "rule", "message")) {
                text.append(object.string(name).orElse("")).append('\n');
              }
            }
          });
      return text.toString();
    } catch (JsonFault e) {
      throw new IllegalStateException("a stored decision is not JSON", e);
    }
  }
}
