package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.testkit.Rooms;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class CredentialsFuzzTest {
  @Property(tries = 300)
  void anyCredentialIsARefusalAndNothingElse(@ForAll String text, @ForAll boolean bearer) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> new Rooms().credentials().authenticate(text, bearer, "192.0.2.1"))
        .satisfies(e -> assertThat(e.problem()).isInstanceOf(Problem.Unauthorized.class));
  }
}
