package dev.safeconduct.audit;

import dev.safeconduct.json.Json;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A search for words in the reasons of decisions: all must occur, in upper or lower case. */
record ReasonText(List<String> words) {
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

  /** Returns the code, rule and message of a decision's first reason. */
  private static String reasons(byte[] body) {
    return DecisionJson.reason(Json.own(body))
        .map(reason -> String.join("\n", reason.code(), reason.rule().orElse(""), reason.message()))
        .orElse("");
  }
}
