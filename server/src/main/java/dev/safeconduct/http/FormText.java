package dev.safeconduct.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Name and value pairs of a query or of a form body. */
final class FormText {
  private final Map<String, List<String>> values;

  /**
   * Parses the text.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for a broken percent-encoding
   */
  FormText(String text, String place) {
    values = text.isEmpty() ? Map.of() : new LinkedHashMap<>();
    for (int from = 0; from < text.length(); ) {
      int end = text.indexOf('&', from);
      end = end < 0 ? text.length() : end;
      if (end > from) {
        int equals = text.indexOf('=', from);
        boolean bare = equals < 0 || equals > end;
        String name = PercentCoding.decode(text.substring(from, bare ? end : equals), true, place);
        String value =
            bare ? "" : PercentCoding.decode(text.substring(equals + 1, end), true, place);
        values.computeIfAbsent(name, _ -> new ArrayList<>(1)).add(value);
      }
      from = end + 1;
    }
  }

  /** Returns the first value of the name. */
  Optional<String> first(String name) {
    List<String> all = values.get(name);
    return all == null ? Optional.empty() : Optional.of(all.getFirst());
  }

  List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  List<String> names() {
    return List.copyOf(values.keySet());
  }
}
