package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathFormsTest {
  static Stream<Arguments> forms() {
    return Stream.of(
        Arguments.of("/a/b", List.of("/a/b")),
        Arguments.of("a\\b", List.of("a/b")),
        Arguments.of("FILE:///a", List.of("/a")),
        Arguments.of("file:\\\\/a", List.of("/a")),
        Arguments.of("file:/a", List.of("/a")),
        Arguments.of("File:a", List.of("a")),
        Arguments.of("file://LocalHost/a", List.of("/a")),
        Arguments.of("file://host/a", List.of("/a", "/host/a")),
        Arguments.of("file:\\\\C:\\a", List.of("/a", "/C:/a")),
        Arguments.of("file://etc", List.of("", "/etc")),
        Arguments.of("/\uff0e\uff0e\uff0fa", List.of("/../a")),
        Arguments.of("/\u2025/a", List.of("/../a")),
        Arguments.of("/a%20b", List.of("/a%20b", "/a b")),
        Arguments.of("/%2e%20", List.of("/%2e%20", "/. ")),
        Arguments.of("/%2E%2e%2Fa", List.of("/%2E%2e%2Fa", "/../a")),
        Arguments.of("a%5cb", List.of("a%5cb", "a/b")),
        Arguments.of("/%252e", List.of("/%252e", "/%2e", "/.")),
        Arguments.of("/%25252e", List.of("/%25252e", "/%252e", "/%2e", "/.")),
        Arguments.of("/%2525252e", List.of("/%2525252e", "/%25252e", "/%252e", "/%2e")),
        Arguments.of("/%2e%zz%2", List.of("/%2e%zz%2", "/.%zz%2")),
        Arguments.of("/%2e%c3%a9", List.of("/%2e%c3%a9", "/.\u00e9")),
        Arguments.of("/%2e%ff", List.of("/%2e%ff", "/.\ufffd")),
        Arguments.of("%2e%ef%bc%8f", List.of("%2e%ef%bc%8f", "./")),
        Arguments.of("file%3a%2f%2f/a", List.of("file%3a%2f%2f/a", "/a")),
        Arguments.of("/\uff052e", List.of("/%2e")));
  }

  @ParameterizedTest
  @MethodSource("forms")
  void allFormsAreSeen(String text, List<String> forms) {
    assertThat(PathForms.of(text)).isEqualTo(forms);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a\0", "/a%00", "/a%2500", "/a%252500", "%2e%00"})
  void aFormWithU0000IsNotClean(String text) {
    assertThat(PathForms.isClean(text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/a", "/a%2e", "/a%25252500", "/%0"})
  void otherTextsAreClean(String text) {
    assertThat(PathForms.isClean(text)).isTrue();
  }

  @Test
  void normalisedFormsAreDistinct() {
    assertThat(PathForms.normalised("/a/%2e/b")).containsExactly("/a/%2e/b", "/a/b");
    assertThat(PathForms.normalised("/a//b%25")).containsExactly("/a/b%25", "/a/b%");
  }
}
