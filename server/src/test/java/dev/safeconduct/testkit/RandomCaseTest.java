package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Random cases reach the corners, and come again with their seed. */
final class RandomCaseTest {
  private final Set<Long> seeds = new HashSet<>();

  @RandomTest(cases = 20)
  void aTestRunsForItsCases(RandomCase random) {
    assertThat(seeds.add(random.seed())).as("a case of its own").isTrue();
  }

  @AfterEach
  void allCasesRan(TestInfo test) {
    assertThat(seeds).hasSizeGreaterThanOrEqualTo(test.getTags().contains("random") ? 20 : 0);
  }

  @Test
  void aSeedDrawsTheSameAgain() {
    assertThat(drawn(7)).isEqualTo(drawn(7)).isNotEqualTo(drawn(8));
  }

  private static String drawn(long seed) {
    var random = new RandomCase(seed);
    random.anyInt();
    random.anyText();
    random.some(0, 9, "a", "b");
    return random.toString();
  }

  @Test
  void boundsAreDrawn() {
    var random = new RandomCase(1);
    var numbers = new TreeSet<Long>();
    Stream.generate(() -> random.between(-5L, 1L << 40)).limit(1000).forEach(numbers::add);
    assertThat(numbers).contains(-5L, 0L, 1L << 40).hasSizeGreaterThan(500);
    var any = new TreeSet<Integer>();
    Stream.generate(random::anyInt).limit(1000).forEach(any::add);
    assertThat(any).contains(Integer.MIN_VALUE, 0, Integer.MAX_VALUE);
    var lengths = new TreeSet<Integer>();
    Stream.generate(random::anyText).limit(1000).map(String::length).forEach(lengths::add);
    assertThat(lengths).contains(0, 16, 255);
  }
}
