package dev.safeconduct.verify;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.Optional;

/** Reads the list of evaluations in a batch request. */
public final class Evaluations {
  /** The member that holds it. */
  static final String NAME = "evaluations";

  private static final int MOST = 100;

  private Evaluations() {}

  /**
   * Returns the list, if there is one.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for a member that is not a list or too long
   */
  public static Optional<JsonArray> of(JsonObject body) {
    return Members.of(body).array(NAME, MOST);
  }
}
