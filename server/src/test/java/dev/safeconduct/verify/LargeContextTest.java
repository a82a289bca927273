package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WallClock;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What takes little to send must take little to answer, and little to keep. */
final class LargeContextTest {
  @AutoClose private static final TestService service = TestService.start();

  @Tag("timing")
  @ParameterizedTest
  @ValueSource(strings = {"\"k%d\":null", "\"key%d\":1", "\"key%d\":\"x\"", "\"k%d\":{\"a\":null}"})
  void hasVeryManyMembers(String member) {
    StringBuilder members = new StringBuilder("\"command\":\"rm x\"");
    int count = member.contains("{") ? 24_000 : 49_000; // The most is 50,000.
    for (int i = 0; i < count; i++) {
      members.append(',').append(member.formatted(i));
    }
    String agent = Questions.hosted(service, 1);
    String body = "{\"agent_id\":\"" + agent + "\",\"context\":{" + members + "}}";
    Reply reply =
        WallClock.within(Duration.ofSeconds(30), () -> service.owner().post(COMMAND, body));
    assertThat(Questions.code(reply)).isEqualTo("oap.command_not_allowed");
    Reply kept = service.owner().get("/api/audit/" + reply.string("decision_id"));
    assertThat(kept.status()).isEqualTo(200);
    assertThat(kept.body().length).isLessThan(100_000);
    assertThat(kept.text()).contains("rm x", "[redacted hmac-sha256:");
  }

  @Tag("timing")
  @ParameterizedTest
  @ValueSource(strings = {"command", "args", "content", "anything"})
  void hasOneHugeMember(String name) {
    String huge = "\"" + "git x".repeat(2_000_000) + "\"";
    String value = name.equals("args") ? "[" + huge + "]" : huge;
    String rest = name.equals("command") ? "" : "\"command\":\"ls\",";
    String agent = Questions.hosted(service, 1);
    String body =
        "{\"context\":{" + rest + "\"agent_id\":\"" + agent + "\",\"" + name + "\":" + value + "}}";
    Reply reply =
        WallClock.within(Duration.ofSeconds(30), () -> service.owner().post(COMMAND, body));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    Reply kept = service.owner().get("/api/audit/" + reply.string("decision_id"));
    assertThat(kept.body().length).isLessThan(100_000);
    assertThat(kept.text()).contains("length:10000000]");
  }
}
