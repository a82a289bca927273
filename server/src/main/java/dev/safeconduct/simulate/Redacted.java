package dev.safeconduct.simulate;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;

/** Finds what redaction took out of a recorded context. */
final class Redacted {
  private static final String MARK = "[redacted hmac-sha256:";

  /** The name under which members are put together that were too many to be kept. */
  private static final String REST = "…";

  private Redacted() {}

  /**
   * The fields that are not what was judged; a recorded context whose digest is that of the
   * decision is untouched.
   */
  static List<String> fields(JsonObject recorded, String contextDigest) {
    if (CanonicalJson.digest(recorded).equals(contextDigest)) {
      return List.of();
    }
    var touched = new ArrayList<String>();
    for (String name : recorded.names()) {
      JsonValue value = recorded.get(name);
      if (value != null && (name.equals(REST) || Json.text(value).contains(MARK))) {
        touched.add(name);
      }
    }
    if (touched.isEmpty()) {
      touched.add(REST);
    }
    return touched;
  }

  /** Whether it is not known which fields are missing. */
  static boolean isUnknown(String field) {
    return field.equals(REST);
  }
}
