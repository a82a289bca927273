package dev.safeconduct.passport;

import static dev.safeconduct.passport.Problems.conflict;
import static dev.safeconduct.passport.Problems.fails;
import static dev.safeconduct.passport.Problems.invalid;
import static dev.safeconduct.passport.Problems.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Rooms;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class UpdatePassportTest {
  @AutoClose private final Rooms rooms = new Rooms();
  private final Origin editor = Rooms.by(rooms.ours, Scope.UPDATE);
  private final Passport before = rooms.passport(rooms.ours, "Bot");
  private final AgentId id = before.agentId();

  @Test
  void membersThatAreSentReplaceTheOldOnesWholeAndTheOthersStay() {
    update("{'limits':{'data.file.read':{'allowed_paths':['/a']}},'role':'reader'}");
    Passport after = update("{'limits':{'web.fetch':{'allowed_domains':['example.com']}}}");

    JsonObject document = after.document();
    assertThat(document.object("limits").orElseThrow().names()).containsExactly("web.fetch");
    assertThat(document.string("role")).contains("reader");
    assertThat(document.string("version")).contains("1.0.2");
    assertThat(after.revision()).isEqualTo(3);
  }

  @Test
  void aPassportThatWasReadCanBeSentBack() {
    int records = rooms.records().size();
    Passport after = rooms.updatePassport.run(editor, of(before.document())).passport();

    assertThat(after).isEqualTo(before);
    assertThat(rooms.records()).hasSize(records);
  }

  @Test
  void whatIsFixedCannotBeChanged() {
    invalid("agent_id", () -> update("{'agent_id':'ap_other'}"));
    invalid("owner_id", () -> update("{'owner_id':'org_other'}"));
    invalid("created_at", () -> update("{'created_at':'2020-01-01T00:00:00Z'}"));
    invalid("passport_id", () -> update("{'passport_id':'x'}"));
    assertThat(update("{'assurance_level':'L3'}").document().string("assurance_level"))
        .contains("L0");
  }

  @Test
  void nullTakesAnOptionalMemberAway() {
    update("{'description':'d','contact':'a@example.com','expires_at':'2027-01-01T00:00:00Z'}");
    JsonObject document =
        update("{'description':null,'contact':null,'expires_at':null,'name':null}").document();

    assertThat(document.string("description")).contains("");
    assertThat(document.has("contact")).isFalse();
    assertThat(document.has("expires_at")).isFalse();
    assertThat(document.string("name")).contains("Bot");
  }

  @Test
  void anExpiryEndsNeverAndNeverEndsAnExpiry() {
    update("{'never_expires':true}");
    assertThat(update("{'expires_at':'2027-01-01T00:00:00Z'}").document().has("never_expires"))
        .isFalse();
    assertThat(update("{'never_expires':true}").document().has("expires_at")).isFalse();
  }

  @Test
  void ifMatchLetsOnlyThePresentVersionBeChanged() {
    update("{'role':'one'}");
    conflict("version_mismatch", () -> update("{'role':'two'}", "\"1\""));
    conflict("version_mismatch", () -> update("{'role':'two'}", "W/\"2\""));
    assertThat(update("{'role':'two'}", "\"7\", \"2\"").revision()).isEqualTo(3);
    assertThat(update("{'role':'three'}", "*").revision()).isEqualTo(4);
  }

  @Test
  void aStatusNeedsItsOwnScopeAndIsAStatusChange() {
    fails(Problem.Forbidden.class, () -> update("{'status':'suspended'}"));
    assertThat(update("{'status':'active','role':'x'}").revision()).isEqualTo(2);

    Origin both = Rooms.by(rooms.ours, Scope.UPDATE, Scope.STATUS);
    Passport after =
        rooms.updatePassport.run(both, of(json("{'status':'suspended','role':'y'}"))).passport();

    assertThat(after.status()).isEqualTo(PassportStatus.SUSPENDED);
    assertThat(rooms.lastBody())
        .contains("\"kind\":\"status_change\"", "\"previous_status\":\"active\"", "\"role\"");
    conflict(
        "impossible_status", () -> rooms.updatePassport.run(both, of(json("{'status':'draft'}"))));
  }

  @Test
  void othersCannotChangeIt() {
    Origin stranger = Rooms.by(rooms.theirs, Scope.values());
    Passport sibling = rooms.passport(rooms.ours, "Sibling");
    Origin setup = Rooms.setupKey(rooms.ours, sibling.agentId(), Scope.values());

    fails(Problem.NotFound.class, () -> rooms.updatePassport.run(stranger, of(json("{}"))));
    fails(Problem.NotFound.class, () -> rooms.updatePassport.run(setup, of(json("{}"))));
    fails(
        Problem.Forbidden.class,
        () -> rooms.updatePassport.run(Rooms.by(rooms.ours, Scope.READ), of(json("{}"))));
  }

  @Test
  void aSuspensionIsNotLostAmongUpdates() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> tasks = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String role = "{'role':'r" + i + "'}";
        tasks.add(() -> update(role).revision() > 1);
      }
      var move =
          new ChangeStatus.Move(id, PassportStatus.SUSPENDED, Optional.of("too many writers"));
      tasks.add(10, () -> rooms.changeStatus.run(Rooms.admin(), move).change().changed());
      for (var done : threads.invokeAll(tasks)) {
        assertThat(done.get()).isTrue();
      }
    }
    Passport after = rooms.passports.find(id).orElseThrow();
    assertThat(after.status()).isEqualTo(PassportStatus.SUSPENDED);
    assertThat(after.revision()).isEqualTo(22);
  }

  private Passport update(String body) {
    return rooms.updatePassport.run(editor, of(json(body))).passport();
  }

  private Passport update(String body, String ifMatch) {
    return rooms
        .updatePassport
        .run(editor, new UpdatePassport.Update(id, json(body), Optional.of(ifMatch)))
        .passport();
  }

  private UpdatePassport.Update of(JsonObject body) {
    return new UpdatePassport.Update(id, body, Optional.empty());
  }
}
