package dev.safeconduct.verify;

import dev.safeconduct.decision.CheckOrder;
import dev.safeconduct.decision.EvaluatedChecks;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The recorded form of a decision's checks, without the values they compared. It has one element
 * for the agent and one for each evaluated template.
 */
public final class RecordedChecks {
  /** The member of the record's details. */
  static final String NAME = "checks";

  private static final String AGENT_ID = "agent_id";
  private static final String FAILED = "failed";
  private static final String PASSED = "passed";
  private static final String RULES = "rules";

  private RecordedChecks() {}

  /** Members in sorted order: the details are canonical. */
  static void write(List<EvaluatedChecks> all, JsonWriter json) {
    json.openArray();
    for (EvaluatedChecks checks : all) {
      json.element().open();
      checks.template().ifPresent(agent -> json.member(AGENT_ID).text(agent));
      checks.failed().ifPresent(check -> json.member(FAILED).text(check.wire()));
      json.member(PASSED).openArray();
      for (CheckOrder check : checks.passed()) {
        json.element().text(check.wire());
      }
      json.closeArray();
      if (!checks.rules().isEmpty()) {
        json.member(RULES).openArray();
        for (String rule : checks.rules()) {
          json.element().text(rule);
        }
        json.closeArray();
      }
      json.close();
    }
    json.closeArray();
  }

  /** Returns the checks in the details; an empty list for a decision recorded without checks. */
  public static List<EvaluatedChecks> read(JsonObject details) {
    var all = new ArrayList<EvaluatedChecks>();
    for (JsonValue one : details.list(NAME)) {
      if (one instanceof JsonObject checks) {
        all.add(
            new EvaluatedChecks(
                checks.string(AGENT_ID),
                checks.list(PASSED).texts().stream()
                    .map(CheckOrder::parse)
                    .flatMap(Optional::stream)
                    .toList(),
                checks.list(RULES).texts(),
                checks.string(FAILED).flatMap(CheckOrder::parse)));
      }
    }
    return all;
  }
}
