package dev.safeconduct.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.safeconduct.error.ProblemException;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MembersTest {
  private static final Set<String> KNOWN = Set.of("name", "capabilities");

  @Test
  void unknownMembersAreWarningsUnlessTheyAreTooManyToCompare() {
    assertThat(unknown(1_000)).hasSize(100);
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> unknown(1_001))
        .withMessageContaining("More than 1000 members");
  }

  private static Iterable<String> unknown(int count) {
    JsonObject.Builder body = JsonObject.builder();
    for (int i = 0; i < count; i++) {
      body.put("further" + i, new JsonString("x"));
    }
    return Members.of(body.build()).unknown(KNOWN);
  }
}
