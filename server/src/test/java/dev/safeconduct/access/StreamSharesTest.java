package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class StreamSharesTest {
  private static final OrgId ONE = new OrgId("org_1");
  private static final OrgId TWO = new OrgId("org_2");

  private final StreamShares shares = new StreamShares(50);

  @Test
  void aCredentialHasFewStreams() {
    assertThat(opened(ONE, 1, 60)).isEqualTo(50);
    assertThat(shares.refusal(ONE, key(ONE, 1)))
        .get()
        .isInstanceOf(Problem.RateLimited.class)
        .extracting(problem -> ((Problem.RateLimited) problem).message())
        .asString()
        .startsWith("This credential has 50 streams");
    assertThat(shares.refusal(ONE, key(ONE, 2))).isEmpty();
    shares.close(ONE, key(ONE, 1));
    assertThat(shares.refusal(ONE, key(ONE, 1))).isEmpty();
  }

  @Test
  void anOrganizationLeavesStreamsForTheOthers() {
    int first = 0;
    int second = 0;
    for (int i = 0; i < 100; i++) {
      first += opened(ONE, i, 60);
    }
    assertThat(first).isEqualTo(StreamShares.MOST / 2);
    assertThat(shares.refusal(ONE, key(ONE, 999)))
        .get()
        .isInstanceOf(Problem.RateLimited.class)
        .extracting(problem -> ((Problem.RateLimited) problem).message())
        .asString()
        .startsWith("The organization org_1 has 500 streams");
    for (int i = 0; i < 100; i++) {
      second += opened(TWO, 1000 + i, 60);
    }
    assertThat(second).isEqualTo(StreamShares.MOST / 4);
    assertThat(shares.refusal(new OrgId("org_3"), key(new OrgId("org_3"), 5000))).isEmpty();
  }

  private int opened(OrgId org, int key, int times) {
    int opened = 0;
    for (int i = 0; i < times; i++) {
      opened += shares.open(org, key(org, key)) ? 1 : 0;
    }
    return opened;
  }

  private static Caller key(OrgId org, int number) {
    return new Caller.Key("key_" + number, org, Set.of(Scope.READ), Optional.empty());
  }
}
