package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import dev.safeconduct.testkit.Rooms;
import org.junit.jupiter.api.AutoClose;

class CredentialsFuzzTest {
  @AutoClose private static final Rooms ROOMS = new Rooms();

  @RandomTest(cases = 300)
  void anyCredentialIsARefusalAndNothingElse(RandomCase random) {
    String text = random.anyText();
    boolean bearer = random.one(true, false);
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> ROOMS.credentials().authenticate(text, bearer, "192.0.2.1"))
        .satisfies(e -> assertThat(e.problem()).isInstanceOf(Problem.Unauthorized.class));
  }
}
