package dev.safeconduct.decision.url;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UrlPathTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          '',                    /
          /,                     /
          //,                    /
          /a,                    /a
          /a/,                   /a
          /a//b///,              /a/b
          /a/./b/.,              /a/b
          /a/../b,               /b
          /a/b/..,               /a
          /..,                   /
          /../../a,              /a
          /a/../../b,            /b
          /...,                  /...
          /.a/..b/c..,           /.a/..b/c..
          /a/%2e%2e/b,           /b
          /a/%2E./b,             /b
          /a/.%2e%2fb,           /b
          /a%2Fb,                /a/b
          /a%2f%2e%2e%2fb,       /b
          /a/%252e%252e/b,       /a/%252e%252e/b
          /a/%25%32%65/b,        /a/%25%32%65/b
          /a%5c..%5cb,           /a%5c..%5cb
          /a%2,                  /a%2
          /a%,                   /a%
          /%2e,                  /
          /A/é,                  /A/é
          """)
  void hasANormalForm(String path, String normal) {
    assertThat(UrlPath.normal(path)).isEqualTo(normal);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          /secret,       /%73ecret,             true
          /secret,       /SECRET/a,             true
          /secret,       /%2573ecret,           true
          /secret,       /%252573ecret,         true
          /secret,       /%25252573ecret,       false
          /secret,       /a/%5c../secret,       true
          /secret,       /%5csecret,            true
          /secret,       /secret;v=1/a,         true
          /secret,       /secret%3bv=1/a,       true
          /secret,       /a;b/../secret,        true
          /secret,       /a/..;/secret,         true
          /secret,       /secret/%252e%252e/a,  true
          /secret,       /secrets,              false
          /secret,       /a/secret,             false
          /a%20b,        /a%20b/c,              true
          /a%20b,        /A%2520B,              true
          /a;b,          /a,                    true
          '',            /anything,             true
          """)
  void mayLieBelowABlockedPath(String entry, String path, boolean below) {
    assertThat(UrlPath.mayLieBelow(path, entry)).isEqualTo(below);
  }
}
