package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Batches.BATCH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Batches;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * A batch whose form is wrong is refused as a whole, by the member that is wrong, and nothing of it
 * is judged. The forms stand in {@code batch-forms.json}.
 */
final class BatchFormTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final String agent = Questions.hosted(service, 500);

  @TestFactory
  List<DynamicTest> areRefusedByTheMemberAtFault() {
    return CaseFile.tests(
        "batch-forms.json", form -> form.string("about").orElseThrow(), BatchFormTest::run);
  }

  private static void run(JsonObject form) {
    long before = Questions.newestRecord(service);
    Calls calls = service.owner();
    if (form.has("header")) {
      calls = calls.with("Idempotency-Key", form.string("header").orElseThrow());
    }
    String good = Json.text(Batches.message(agent));
    String body =
        Json.text(form.object("body").orElseThrow())
            .replace("\"$good\"", good)
            .replace("\"$101\"", String.join(",", Collections.nCopies(101, good)))
            .replace("$agent", agent);
    Reply reply = calls.post(BATCH + form.string("query").orElse(""), body);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.json().string("field")).isEqualTo(form.string("field"));
    assertThat(reply.text()).contains("\"allow\":false");
    assertThat(Questions.newestRecord(service)).as("nothing was judged").isEqualTo(before);
  }

  @Test
  void aHundredAreNotTooMany() {
    List<JsonObject> hundred = Collections.nCopies(100, Batches.message(agent));
    List<JsonObject> answers = Batches.decisions(service.owner().post(BATCH, Batches.of(hundred)));
    assertThat(Batches.outcomes(answers)).hasSize(100).containsOnly("oap.allowed");
  }

  /** As on the route for one, bodies may be large; 1 MiB is the limit elsewhere. */
  @Test
  void togetherTheyMayBeLarge() {
    JsonObject large = Batches.command(agent, "git commit -m " + "x".repeat(600_000));
    List<JsonObject> answers = Batches.ask(service.owner(), large, large, large);
    assertThat(answers).hasSize(3).allMatch(answer -> answer.has("decision_id"));
  }

  @Test
  void onlyTheScopeReadOpensIt() {
    String auditor =
        Questions.newKey(service, service.org(), "{'name': 'a', 'scopes': ['read_audit']}");
    JsonObject body = Batches.of(Batches.message(agent));
    assertThat(service.withKey(auditor).post(BATCH, body).status()).isEqualTo(403);
    Reply unknown = service.nobody().post(BATCH, body);
    assertThat(unknown.status()).isEqualTo(401);
    assertThat(unknown.text()).contains("\"allow\":false");
  }
}
