package dev.safeconduct.decision.url;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      textBlock =
          """
          https://a.example,             https, -,      a.example,  443,   '',     -,     -
          HTTP://A.Example./,            http,  -,      a.example,  80,    /,      -,     -
          https://a.example:/x,          https, -,      a.example,  443,   /x,     -,     -
          https://a.example:8443?q#f,    https, -,      a.example,  8443,  '',     q,     f
          https://a.example:00443/,      https, -,      a.example,  443,   /,      -,     -
          https://a.example:0/,          https, -,      a.example,  0,     /,      -,     -
          https://a.example:65535/,      https, -,      a.example,  65535, /,      -,     -
          https://a.example/?#,          https, -,      a.example,  443,   /,      '',    ''
          https://a.example/#x?y,        https, -,      a.example,  443,   /,      -,     x?y
          https://a.example/?x?y#z#w,    https, -,      a.example,  443,   /,      x?y,   z#w
          https://u:p@a.example/,        https, u:p,    a.example,  443,   /,      -,     -
          https://@a.example/,           https, '',     a.example,  443,   /,      -,     -
          https://b.test@a.example/,     https, b.test, a.example,  443,   /,      -,     -
          https://a.example/@b.test,     https, -,      a.example,  443,   /@b.test, -,   -
          https://a.example?@b.test,     https, -,      a.example,  443,   '',     @b.test, -
          https://a.example#@b.test,     https, -,      a.example,  443,   '',     -,     @b.test
          https://a.example//b//,        https, -,      a.example,  443,   //b//,  -,     -
          https://a.example/é,           https, -,      a.example,  443,   /é,     -,     -
          http://[::1]:3000/,            http,  -,      [::1],      3000,  /,      -,     -
          http://127.1:8080/,            http,  -,      127.0.0.1,  8080,  /,      -,     -
          ws://a.example,                ws,    -,      a.example,  80,    '',     -,     -
          WSS://a.example,               wss,   -,      a.example,  443,   '',     -,     -
          """)
  void isTakenApart(
      String text,
      String scheme,
      String user,
      String host,
      int port,
      String path,
      String query,
      String fragment) {
    assertThat(Url.parse(text, Url.MCP))
        .contains(
            new Url(
                scheme,
                Optional.ofNullable(user),
                Host.parse(host).orElseThrow(),
                port,
                path,
                Optional.ofNullable(query),
                Optional.ofNullable(fragment)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "a.example/x",
        "//a.example/x",
        "http:",
        "http:/a.example",
        "http:a.example",
        "http//a.example",
        "://a.example",
        "http://",
        "http:///",
        "http:///a.example",
        "http://?a.example",
        "http://#a.example",
        "http://:80/",
        "http://@/",
        "http://u@",
        "http://a@b@c.example/",
        "http://a@b@/",
        "http://a.example:x/",
        "http://a.example:80x/",
        "http://a.example:80:80/",
        "http://a.example:-1/",
        "http://a.example:+80/",
        "http://a.example:65536/",
        "http://a.example:99999999999999999999/",
        "http://a.example:٨٠/",
        "http://[::1]3000/",
        "http://[::1/",
        "http://::1/",
        "http://a.example\\@b.test/",
        "http:\\\\a.example/",
        "http://a.example/\\",
        "http://a.example/a b",
        " http://a.example/",
        "http://a.example/ ",
        "http://a.example/\n",
        "http://a\t.example/",
        "http://a.example/\0",
        "http://a.example/\u007f",
        "http://a%2eexample/",
        "http://%61.example/",
        "http://a.example%00/",
        "http://а.example/",
        "http://ａ.example/",
        "http://a.example\u00ad/",
        "ftp://a.example/",
        "file:///etc/passwd",
        "javascript://a.example/%0aalert(1)",
        "httpſ://a.example/",
        "view-source:http://a.example/",
        "http+x://a.example/"
      })
  void isRefused(String text) {
    assertThat(Url.parse(text, Url.MCP)).isEmpty();
  }

  @Test
  void hasOneOfTheSchemesAskedFor() {
    assertThat(Url.parse("ws://a.example/", Url.WEB)).isEmpty();
    assertThat(Url.parse("wss://a.example/", Url.WEB)).isEmpty();
    assertThat(Url.parse("http://a.example/", Url.WEB)).isPresent();
  }

  @Test
  void mayHoldControlCharactersBeyondAscii() {
    assertThat(Url.parse("http://a.example/\u0085\u00a0", Url.WEB)).isPresent();
  }
}
