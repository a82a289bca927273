package dev.safeconduct.verify;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.Optional;

/** The list in which a request asks for several decisions. */
public final class Evaluations {
  /** The member that holds it. */
  static final String NAME = "evaluations";

  private static final int MOST = 100;

  private Evaluations() {}

  /**
   * The list, if there is one.
   *
   * @throws dev.safeconduct.problem.ProblemException 400 for one that is no list or too long
   */
  public static Optional<JsonArray> of(JsonObject body) {
    return Members.of(body).array(NAME, MOST);
  }
}
