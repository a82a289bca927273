package dev.safeconduct.passport;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** Sets the assurance level of a passport's owner; for the operator, who has checked the owner. */
public final class SetAssurance {
  private final FindPassport findPassport;
  private final Passports passports;
  private final Recorder recorder;

  public SetAssurance(Passports passports, Recorder recorder) {
    this.findPassport = new FindPassport(passports);
    this.passports = passports;
    this.recorder = recorder;
  }

  /**
   * The operator's finding.
   *
   * @param method how the owner was checked, for the audit record
   * @param evidence the evidence, for the audit record
   */
  public record Finding(
      AgentId agent, AssuranceLevel level, String method, Optional<JsonObject> evidence) {}

  /** The passport before and after. */
  public record Assured(Passport before, Passport after) {}

  /**
   * Sets the level and records the finding, even if the level does not change.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for a passport that does not exist
   */
  public Assured run(Origin origin, Finding finding) {
    for (int i = 0; i < ChangeStatus.MAX_TRIES; i++) {
      Passport before = findPassport.run(origin.caller(), finding.agent());
      Instant now = recorder.now();
      JsonValue level = new JsonString(finding.level().wire());
      Passport after =
          PassportDocument.passport(
              PassportDocument.touched(before.document().with("assurance_level", level), now),
              before.revision() + 1);
      PassportChange change =
          PassportChange.of(
              recorder,
              RecordKind.PASSPORT_UPDATED,
              origin,
              now,
              before,
              after,
              found(finding, before));
      if (passports.change(change.storing())) {
        return new Assured(before, after);
      }
    }
    throw ChangeStatus.busy();
  }

  private static JsonObject found(Finding finding, Passport before) {
    JsonObject.Builder more =
        JsonObject.builder()
            .put("assurance_level", finding.level().wire())
            .put(
                "previous_assurance_level",
                Objects.requireNonNull(before.document().get("assurance_level")))
            .put("method", finding.method());
    finding.evidence().ifPresent(evidence -> more.put("evidence", evidence));
    return more.build();
  }
}
