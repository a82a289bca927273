package dev.safeconduct.console;

import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;

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

    /** Returns the members of an object for people, without those that are JSON null. */
    static List<Field> of(String kind, JsonObject values, int longest) {
      return values.names().stream()
          .flatMap(name ->
              Stream.ofNullable(values.present(name))
                  .map(value ->
                      new Field(
                          kind + Formats.words(name), Formats.clip(Formats.plain(value), longest))))
          .toList();
    }
  }

  /**
   * The evaluated checks.
   *
   * @param note a remark on the checks
   */
  public record Checked(List<Check> checks, String note) {}

  /**
   * An evaluated check.
   *
   * @param text why the check denied, if it did
   * @param compared the limits and the values that the check compared, if it denied
   */
  public record Check(boolean passed, String name, String text, List<Field> compared) {}

  /** The recorded fields of the decision, and their proof. */
  public record Recorded(List<Field> fields, Proof proof, String json) {}

  /** The proofs of the record. */
  public record Proof(boolean signed, boolean included, String signature, String inclusion) {}
}
