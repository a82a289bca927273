package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/**
 * The context of one judgement, and what may be kept and shown of it.
 *
 * @param asked with the dialects undone, as it was judged
 * @param shown the same without secrets; the same object when it has none
 * @param lifted what dialects lifted from where
 */
record JudgedContext(JsonObject asked, JsonObject shown, List<String> lifted) {
  static final JudgedContext NONE =
      new JudgedContext(JsonObject.EMPTY, JsonObject.EMPTY, List.of());

  static JudgedContext of(Dialects.Lifted lifted, Redaction redaction) {
    return new JudgedContext(lifted.context(), redaction.of(lifted.context()), lifted.lifted());
  }
}
