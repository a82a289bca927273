package dev.safeconduct.gateway.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.CharacterCodingException;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;

class JsonTest {
  /** What one message names its members does not matter to the next one. */
  @Test
  void namesThatCollideDoNotSpoilLaterDocuments() throws Exception {
    for (int round = 0; round < 6; round++) {
      // "Ab" and "BA" are the same to a hash that multiplies by 33.
      boolean accepted = isAccepted(named(1024, "Ab", "BA", "round_" + round));
      byte[] ordinary = named(512, "x", "y", "ordinary_" + round);
      assertThat((Map<?, ?>) Json.parse(ordinary)).hasSize(512);
      assertThat(accepted).isTrue();
    }
  }

  private static boolean isAccepted(byte[] document) {
    try {
      Json.parse(document);
      return true;
    } catch (CharacterCodingException | JacksonException e) {
      return false;
    }
  }

  /** An object of members named by one of two texts for each bit of a number. */
  private static byte[] named(int members, String zero, String one, String suffix) {
    return IntStream.range(0, members)
        .mapToObj(i ->
            IntStream.range(0, 10)
                .mapToObj(bit -> (i >> bit & 1) == 0 ? zero : one)
                .collect(Collectors.joining("", "\"", suffix + "\":true")))
        .collect(Collectors.joining(",", "{", "}"))
        .getBytes(UTF_8);
  }
}
