package dev.safeconduct.console;

import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Layout;
import java.util.List;

/**
 * One decision; {@code console/decision.jte}.
 *
 * @param asked the fields of the context
 * @param next what the reader can do about it
 */
public record DecisionView(
    Layout shell,
    DecisionWords.Line line,
    String lead,
    String policyName,
    List<Field> asked,
    Checked checked,
    Recorded recorded,
    List<NextStep> next,
    String curl) {
  public DecisionView {
    asked = List.copyOf(asked);
    next = List.copyOf(next);
  }

  /**
   * What the reader can do about the decision.
   *
   * @param path of a page, or of a form that does it at once
   * @param text what it does; a remark if the path is empty
   */
  public record NextStep(String path, String text, boolean sends) {
    public NextStep(String path, String text) {
      this(path, text, false);
    }
  }

  /** A name with its value. */
  public record Field(String name, String value, String link) {
    public Field(String name, String value) {
      this(name, value, "");
    }
  }

  /**
   * The evaluated checks.
   *
   * @param note a remark on the checks
   */
  public record Checked(List<Check> checks, String note) {
    public Checked {
      checks = List.copyOf(checks);
    }
  }

  /**
   * An evaluated check.
   *
   * @param text why the check denied, if it did
   * @param compared the limits and the values that the check compared, if it denied
   */
  public record Check(boolean passed, String name, String text, List<Field> compared) {
    public Check {
      compared = List.copyOf(compared);
    }
  }

  /** The recorded fields of the decision, and their proof. */
  public record Recorded(List<Field> fields, Proof proof, String json) {
    public Recorded {
      fields = List.copyOf(fields);
    }
  }

  /** The proofs of the record. */
  public record Proof(boolean signed, boolean included, String signature, String inclusion) {}
}
