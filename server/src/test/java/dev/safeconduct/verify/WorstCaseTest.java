package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WallClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No request of an allowed size costs more than a second of CPU time. The time of the whole process
 * is measured, because virtual threads have none of their own.
 */
@Tag("attack")
@Tag("timing")
final class WorstCaseTest {
  private static final int LARGEST = 12 << 20;
  private static final Duration MOST = Duration.ofSeconds(1);

  /** How much more than a large document of ordinary content a request may cost anywhere. */
  private static final int TIMES = 2;

  @AutoClose private static final TestService service = TestService.start();

  private static Duration usual = Duration.ZERO;

  @BeforeAll
  static void measure() {
    WorstCase document = WorstCase.usual();
    String body = text(document);
    for (int i = 0; i < 2; i++) {
      usual = cost(document, body);
    }
  }

  static Stream<WorstCase> cases() {
    return WorstCase.all();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void costsLittle(WorstCase worst) {
    String body = text(worst);
    Duration first = cost(worst, body);
    Duration most = WallClock.isStrict() ? MOST : usual.multipliedBy(TIMES).plus(MOST);
    // The first run may pay for compiling the code.
    Duration cost = first.compareTo(MOST) < 0 ? first : cost(worst, body);
    assertThat(cost).as("CPU time; of an ordinary document: %s", usual).isLessThan(most);
  }

  @Test
  void aCheckThatNeedsTooMuchDeniesAndIsCounted() {
    WorstCase worst =
        WorstCase.all()
            .filter(each -> each.name().contains("blocked_patterns"))
            .findFirst()
            .orElseThrow();
    long before = overBudget();
    Reply reply = service.owner().post(worst.path(), text(worst));
    assertThat(Questions.code(reply)).isEqualTo("oap.policy_error");
    assertThat(reply.text()).contains("\"rule\":\"blocked_patterns\"");
    assertThat(overBudget()).isEqualTo(before + 1);
  }

  private static long overBudget() {
    Matcher counted =
        Pattern.compile("(?m)^safeconduct_policy_over_budget_total (\\d+)")
            .matcher(service.admin().get("/metrics").text());
    assertThat(counted.find()).isTrue();
    return Long.parseLong(counted.group(1));
  }

  private static String text(WorstCase worst) {
    String text = worst.body().get().replace('\'', '"');
    assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(LARGEST);
    return text;
  }

  private static Duration cost(WorstCase worst, String body) {
    Duration before = service.cpu();
    Reply reply = service.owner().post(worst.path(), body);
    Duration cost = service.cpu().minus(before);
    if (WallClock.isStrict()) {
      System.out.printf("%,12d bytes %5d ms  %s%n", body.length(), cost.toMillis(), worst);
    }
    assertThat(reply.status()).as(reply.toString()).isLessThan(500);
    return cost;
  }
}
