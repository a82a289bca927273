package dev.safeconduct.audit.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Commitment;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events have what their class requires (https://schema.ocsf.io/1.6.0). */
final class OcsfEventTest {
  /** Required by every class; a dot leads into an object. */
  private static final List<String> BASE =
      List.of(
          "activity_id",
          "category_uid",
          "class_uid",
          "type_uid",
          "time",
          "severity_id",
          "metadata.version",
          "metadata.product.vendor_name");

  /** Required by each class; with a bar, at least one of them. */
  private static final Map<Integer, List<String>> BY_CLASS =
      Map.of(
          6003, List.of("actor.user.uid", "api.operation", "src_endpoint.ip|src_endpoint.name"),
          3002, List.of("user.uid|user.name", "service.name|dst_endpoint.ip"),
          3004, List.of("entity.uid|entity.name"));

  private static StoredRecord record(RecordKind kind, Optional<Boolean> allow, boolean erased) {
    byte[] nothing = new byte[0];
    return new StoredRecord(
        41,
        new AuditRecord(
            new UUID(1, 2),
            kind,
            new OrgId("org_1"),
            Instant.ofEpochMilli(1_700_000_000_123L),
            erased ? Optional.empty() : Optional.of(new AgentId("ap_1")),
            allow.map(_ -> "system.command.execute.v1"),
            allow,
            allow.map(_ -> "oap.allowed"),
            erased
                ? nothing
                : "{\"account_id\":\"acc_1\",\"change\":\"signed_out\"}".getBytes(UTF_8),
            nothing,
            erased
                ? nothing
                : "{\"address\":\"192.0.2.1\",\"caller\":\"key:k\",\"request_id\":\"r\"}"
                    .getBytes(UTF_8)),
        new Commitment(erased ? nothing : new byte[16], new byte[32]));
  }

  private static boolean has(JsonObject event, String path) {
    JsonObject at = event;
    List<String> names = List.of(path.split("\\.", -1));
    for (String name : names.subList(0, names.size() - 1)) {
      at = at.object(name).orElse(JsonObject.EMPTY);
    }
    return switch (at.get(names.getLast())) {
      case JsonString(String text) -> !text.isEmpty();
      case JsonNumber _ -> true;
      case null, default -> false;
    };
  }

  private static void assertIsComplete(JsonObject event) {
    int uid = (int) AuditStreamTest.number(event, "class_uid");
    assertThat(BY_CLASS).containsKey(uid);
    for (String path : BASE) {
      assertThat(has(event, path)).as(path + " of " + event).isTrue();
    }
    for (String paths : BY_CLASS.getOrDefault(uid, List.of())) {
      assertThat(List.of(paths.split("\\|", -1)))
          .as(event.toString())
          .anyMatch(path -> has(event, path));
    }
    double activity = AuditStreamTest.number(event, "activity_id");
    assertThat(AuditStreamTest.number(event, "type_uid")).isEqualTo(uid * 100.0 + activity);
    assertThat(AuditStreamTest.number(event, "category_uid")).isEqualTo(Math.floor(uid / 1000.0));
    if (activity == 99) { // "Other" needs its name
      assertThat(event.string("activity_name")).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyKindHasWhatItsClassRequires(RecordKind kind) {
    Optional<Boolean> allow = kind == RecordKind.DECISION ? Optional.of(false) : Optional.empty();
    JsonObject event = OcsfEvent.of(record(kind, allow, false));
    assertIsComplete(event);
    assertThat(event.object("unmapped").orElseThrow().string("kind")).contains(kind.wire());
    assertThat(event.object("metadata").orElseThrow().string("event_code")).contains(kind.wire());
    assertIsComplete(OcsfEvent.of(record(kind, allow, true)));
  }

  @Test
  void aDenyIsADeniedActionOfTheAgent() {
    JsonObject event = OcsfEvent.of(record(RecordKind.DECISION, Optional.of(false), false));
    assertThat(AuditStreamTest.number(event, "type_uid")).isEqualTo(600_399);
    assertThat(AuditStreamTest.number(event, "action_id")).isEqualTo(2);
    assertThat(AuditStreamTest.number(event, "disposition_id")).isEqualTo(2);
    assertThat(
            event
                .object("actor")
                .flatMap(actor -> actor.object("user"))
                .orElseThrow()
                .string("uid"))
        .contains("ap_1");
    assertThat(event.object("metadata").orElseThrow().array("profiles")).isPresent();
  }

  @Test
  void aSignOutIsALogoff() {
    JsonObject event = OcsfEvent.of(record(RecordKind.LOGIN, Optional.empty(), false));
    assertThat(AuditStreamTest.number(event, "type_uid")).isEqualTo(300_202);
  }
}
