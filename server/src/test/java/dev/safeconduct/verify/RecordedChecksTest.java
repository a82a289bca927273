package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.CheckOrder;
import dev.safeconduct.decision.EvaluatedChecks;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A record's checks are canonical JSON and read back as they were. */
final class RecordedChecksTest {
  @Test
  void readsBackWhatWasWritten() throws Exception {
    var made =
        List.of(
            new EvaluatedChecks(
                Optional.empty(),
                List.of(CheckOrder.PASSPORT_STATUS, CheckOrder.RULES, CheckOrder.REGION),
                List.of(),
                Optional.empty()),
            new EvaluatedChecks(
                Optional.of("ap_template"),
                List.of(CheckOrder.PASSPORT_STATUS),
                List.of("first", "second"),
                Optional.of(CheckOrder.RULES)));
    JsonWriter json = JsonWriter.inOrder().open().member(RecordedChecks.NAME);
    RecordedChecks.write(made, json);
    byte[] details = json.close().bytes();
    assertThat(RecordedChecks.read(Json.parseObject(details))).isEqualTo(made);
    assertThat(CanonicalJson.bytes(Json.parseObject(details))).isEqualTo(details);
  }

  @Test
  void anEarlierRecordHasNone() {
    assertThat(RecordedChecks.read(JsonObject.EMPTY)).isEmpty();
  }
}
