package dev.safeconduct.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Checks without the network. */
class OfflineVectorsTest {

  @TestFactory
  List<DynamicTest> canonical() {
    return each("canonical.json", (one, keys) -> canonical(one));
  }

  private static void canonical(Map<String, @Nullable Object> each) {
    byte[] json = Vectors.bytes(Json.text(each, "json"));
    if (Vectors.is(each, "refused")) {
      assertThatThrownBy(() -> Canonical.of(Json.parse(json)))
          .isInstanceOf(IllegalArgumentException.class);
      return;
    }
    assertThat(new String(Canonical.of(Json.parse(json)), StandardCharsets.UTF_8))
        .isEqualTo(each.get("canonical"));
    assertThat(Canonical.digest(Json.parse(json))).isEqualTo("sha256:" + each.get("sha256"));
  }

  /** What a caller gives has the form of what is sent for it. */
  @Test
  void canonicalOfTypesThatJsonDoesNotHave() {
    for (Object value :
        List.<Object>of(
            0.1f,
            (byte) 1,
            Long.MAX_VALUE,
            new BigDecimal("1E-7"),
            new BigDecimal("1E+30"),
            BigInteger.TWO.pow(200),
            new AtomicInteger(7),
            new int[] {2, 1},
            Set.of("one"),
            Map.of(2, "two", 10, 1.5f),
            List.of(Map.of("b", Optional.of("there"), "a", 'c')))) {
      assertThat(Canonical.of(value)).isEqualTo(Canonical.of(Json.parse(Json.write(value))));
    }
    List<?> deep = List.of();
    for (int levels = 1; levels < 100; levels++) {
      deep = List.of(deep);
    }
    assertThat(Canonical.of(deep)).hasSize(200);
    List<?> tooDeep = List.of(deep);
    assertThatThrownBy(() -> Canonical.of(tooDeep)).isInstanceOf(IllegalArgumentException.class);
    // It is refused before anything is sent: nothing listens at this address.
    try (Safeconduct client = Safeconduct.builder().baseUrl("http://127.0.0.1:1").build()) {
      Action action = Action.of("ap_1", "messaging.message.send.v1", Map.of("x", Double.NaN));
      assertThatThrownBy(() -> client.check(action)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> client.token(action)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** A name can take long to resolve, which must not hold up the caller. */
  @Test
  void onlyConnectionsWithoutTlsAndNamesNeedNoOtherThread() {
    assertThat(
            Stream.of(
                "http://127.0.0.1:8080",
                "http://localhost",
                "http://[::1]:80/x",
                "http://service:8080",
                "http://10.example.com",
                "https://127.0.0.1"))
        .filteredOn(Transport::isDirect)
        .containsExactly("http://127.0.0.1:8080", "http://localhost", "http://[::1]:80/x");
  }

  @TestFactory
  List<DynamicTest> signatures() {
    return each(
        "signatures.json",
        (one, keys) ->
            assertThat(Verification.verifyDecision(Vectors.bytes(Json.text(one, "decision")), keys))
                .isEqualTo(one.get("valid")));
  }

  @TestFactory
  List<DynamicTest> tokens() {
    return each(
        "tokens.json",
        (one, keys) -> {
          Map<String, @Nullable Object> options = Vectors.object(one, "options");
          var expected =
              new Verification.TokenExpectation(
                  Vectors.text(options, "context_digest", ""),
                  Json.optionalText(options, "agent_id"),
                  Json.optionalText(options, "policy"),
                  Json.optionalText(options, "issuer"),
                  Json.optionalText(options, "audience"),
                  options.get("now") instanceof Number now ? now.doubleValue() : 0);
          assertThat(
                  Verification.verifyToken(Vectors.text(one, "token", ""), keys, expected)
                      .isPresent())
              .isEqualTo(one.get("valid"));
        });
  }

  @TestFactory
  List<DynamicTest> receipts() {
    return each(
        "receipts.json",
        (one, keys) -> {
          byte[] proof =
              one.get("proof") instanceof String text
                  ? Vectors.bytes(text)
                  : Json.write(one.get("proof"));
          byte[] decision = one.containsKey("decision") ? Json.write(one.get("decision")) : null;
          assertThat(
                  Verification.verifyReceipt(Json.write(one.get("record")), proof, decision, keys))
              .isEqualTo(one.get("valid"));
        });
  }

  private static List<DynamicTest> each(
      String file, BiConsumer<Map<String, @Nullable Object>, KeySet> check) {
    Map<String, @Nullable Object> read = Vectors.read(file);
    List<DynamicTest> tests = new ArrayList<>();
    for (Map<String, @Nullable Object> one : Vectors.objects(read, "cases")) {
      KeySet keys = keys(one.get("jwks"), read.get("jwks"));
      tests.add(dynamicTest(Vectors.text(one, "name", "?"), () -> check.accept(one, keys)));
    }
    return tests;
  }

  /** Key sets that are not valid hold no key. */
  private static KeySet keys(@Nullable Object own, @Nullable Object ofFile) {
    try {
      return KeySet.of(own == null ? ofFile : own);
    } catch (IllegalArgumentException e) {
      return KeySet.of(Map.of("keys", List.of()));
    }
  }
}
