package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/**
 * The context of one evaluation, and its redacted form for records and answers.
 *
 * @param asked the evaluated context, with the dialects lifted
 * @param shown the context without secrets; the same object if it has no secrets
 * @param lifted the sources of the members that dialects lifted
 */
record JudgedContext(JsonObject asked, JsonObject shown, List<String> lifted) {
  static final JudgedContext NONE =
      new JudgedContext(JsonObject.EMPTY, JsonObject.EMPTY, List.of());

  static JudgedContext of(Dialects.Lifted lifted, Redaction redaction) {
    return new JudgedContext(lifted.context(), redaction.of(lifted.context()), lifted.lifted());
  }
}
