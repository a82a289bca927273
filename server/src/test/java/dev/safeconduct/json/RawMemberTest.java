package dev.safeconduct.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The bytes of a member are those that were sent, wherever it stands and whatever is around it. */
final class RawMemberTest {
  private record Case(String object, String value) {}

  @TestFactory
  List<DynamicTest> findsTheValueAsItWasSent() {
    return List.of(
            new Case("{\"context\":{}}", "{}"),
            new Case(" {\n \"a\" : 1 , \"context\" : { \"b\" : [1, 2] } }", "{ \"b\" : [1, 2] }"),
            new Case("{\"a\":{\"context\":1},\"context\":{\"x\":\"}\"}}", "{\"x\":\"}\"}"),
            new Case(
                "{\"a\":\"\\\"context\\\":0\",\"context\":{\"q\":\"\\\\\"}}", "{\"q\":\"\\\\\"}"),
            new Case(
                "{\"a\":[\"]\",{}],\"b\":true,\"c\":null,\"context\":{\"é\":\"ü\"}}",
                "{\"é\":\"ü\"}"),
            new Case("{\"c\\u006fntext\":{\"a\":1.50}}", "{\"a\":1.50}"),
            new Case(
                "{\"a\":-1e5,\"context\":{\"a\":{\"b\":{}}},\"z\":\"\"}", "{\"a\":{\"b\":{}}}"),
            new Case("{\"a\":{\"context\":{}}}", ""),
            new Case("{}", ""))
        .stream()
        .map(each ->
            DynamicTest.dynamicTest(
                each.object(),
                () ->
                    assertThat(
                            RawMember.of(each.object().getBytes(StandardCharsets.UTF_8), "context")
                                .map(found -> new String(found, StandardCharsets.UTF_8)))
                        .isEqualTo(Optional.of(each.value()).filter(value -> !value.isEmpty()))))
        .toList();
  }

  private record Cut(String array, List<String> elements) {}

  @TestFactory
  List<DynamicTest> cutsAListIntoItsElements() {
    return List.of(
            new Cut("[]", List.of()),
            new Cut(" [ ] ", List.of()),
            new Cut("[{}]", List.of("{}")),
            new Cut(
                "[ {\"a\" : [1, 2]} ,{\"b\":\"],[\"}\n]",
                List.of("{\"a\" : [1, 2]}", "{\"b\":\"],[\"}")),
            new Cut(
                "[1.50 , true,null,\"\\\"]\",[ [] ]]",
                List.of("1.50", "true", "null", "\"\\\"]\"", "[ [] ]")))
        .stream()
        .map(each ->
            DynamicTest.dynamicTest(
                each.array(),
                () ->
                    assertThat(
                            RawMember.elements(each.array().getBytes(StandardCharsets.UTF_8))
                                .stream()
                                .map(element -> new String(element, StandardCharsets.UTF_8))
                                .toList())
                        .isEqualTo(each.elements())))
        .toList();
  }
}
