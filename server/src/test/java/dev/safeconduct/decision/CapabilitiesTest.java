package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CapabilitiesTest {
  private static Capabilities of(String list) throws JsonFault {
    return JudgedPassport.of((JsonObject) Json.parse("{\"capabilities\":" + list + "}"))
        .permissions()
        .capabilities();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[5]", "[{}]", "[\"\"]", "[{\"id\":\"\"}]", "[{\"id\":null},[]]"})
  void nothingIsHeldByNoName(String list) throws JsonFault {
    assertThat(of(list).holds("")).isFalse();
    assertThat(of(list).holdsAny(List.of("", "x"))).isFalse();
  }

  @Test
  void anAliasIsHeldAsTheNameItStandsFor() throws JsonFault {
    assertThat(of("[\"payments.refund\"]").holds("finance.payment.refund")).isTrue();
    assertThat(of("[{\"id\":\"finance.payment.refund\"}]").holds("payments.refund")).isFalse();
  }
}
