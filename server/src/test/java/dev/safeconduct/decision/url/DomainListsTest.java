package dev.safeconduct.decision.url;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DomainListsTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # entry                   url                               allow-list and block-list match
          a.example,                https://a.example/,               true,  true
          A.Example.,               http://a.example:81/x,            true,  true
          ' a.example ',            https://a.example/,               true,  true
          a.example,                https://b.a.example/,             true,  true
          a.example,                https://ba.example/,              false, false
          a.example,                https://a.example.test/,          false, false
          a.example,                https://example/,                 false, false
          a.example,                https://test/?a.example,          false, false
          a.example,                https://test/#a.example,          false, false
          a.example,                https://test/a.example,           false, false
          a.example,                https://a.example@test/,          false, false
          a.example,                https://test@a.example/,          true,  true
          '',                       https://a.example/,               false, false
          ' ',                      https://a.example/,               false, false
          *,                        https://a.example/,               true,  false
          ' * ',                    https://10.0.0.1/,                true,  false
          */,                       https://a.example/,               true,  false
          *:8443,                   https://a.example:8443/,          true,  true
          *:8443,                   https://a.example/,               false, false
          https://*,                https://a.example/,               true,  true
          https://*,                http://a.example/,                false, false
          */pub,                    http://a.example/pub/x,           true,  true
          **,                       https://a.example/,               false, false
          *.a.example,              https://b.a.example/,             true,  true
          *.a.example,              https://c.b.a.example/,           true,  true
          *.a.example,              https://a.example/,               false, true
          *.a.example,              https://ba.example/,              false, false
          *.a.example:80,           http://b.a.example/,              true,  true
          *.a.example:80,           https://b.a.example/,             false, false
          *.*.example,              https://b.a.example/,             false, false
          *a.example,               https://ba.example/,              false, false
          .a.example,               https://b.a.example/,             false, false
          a.*,                      https://a.example/,               false, false
          a.example:443,            https://a.example/,               true,  true
          a.example:443,            http://a.example/,                false, false
          a.example:443,            http://a.example:443/,            true,  true
          a.example:,               http://a.example:9/,              true,  true
          a.example:x,              https://a.example/,               false, false
          a.example:99999,          https://a.example/,               false, false
          https://a.example,        https://a.example:8443/x,         true,  true
          HTTPS://a.example,        https://b.a.example/,             true,  true
          https://a.example,        http://a.example/,                false, false
          https://*.a.example/p,    https://b.a.example/p/q,          true,  true
          https://*.a.example/p,    https://a.example/p/q,            false, true
          ftp://a.example,          https://a.example/,               false, false
          //a.example/,             https://a.example/,               false, false
          a.example/,               https://a.example/x,              true,  true
          a.example/*,              https://a.example/x,              true,  true
          a.example/**,             https://a.example/,               true,  true
          a.example/p,              https://a.example/p,              true,  true
          a.example/p,              https://a.example/p/,             true,  true
          a.example/p/,             https://a.example/p,              true,  true
          a.example/p/*,            https://a.example/p/q?r,          true,  true
          a.example/p*,             https://a.example/pq,             false, false
          a.example/p,              https://a.example/pq,             false, false
          a.example/p,              https://a.example/P,              false, true
          a.example/p,              https://a.example/,               false, false
          a.example/p,              https://a.example,                false, false
          a.example/p,              https://a.example/q/p,            false, false
          a.example/p,              https://a.example/p/../q,         false, false
          a.example/p,              https://a.example/p/%2e%2E/q,     false, false
          a.example/p,              https://a.example/p%2f..%2fq,     false, false
          a.example/p,              https://a.example/q/../p/x,       true,  true
          a.example/p,              https://a.example/%2e/p/x,        true,  true
          a.example/p,              https://a.example/p/%252e%252e/q, true,  true
          a.example/p,              https://a.example//p//x,          true,  true
          a.example/p?q,            https://a.example/p/x,            true,  true
          a.example/p#q,            https://a.example/p/x,            true,  true
          https://a.example?q,      https://a.example/x,              true,  true
          a.example?q,              https://a.example/x,              false, false
          a.example/p://x,          http://a.example/p:/x,            true,  true
          93.184.216.34,            http://93.184.216.34/,            true,  true
          93.184.216.34,            http://0x5db8d822/,               true,  true
          0x5db8d822,               http://93.184.216.34/,            true,  true
          93.184.216.34,            http://[::ffff:93.184.216.34]/,   false, true
          93.184.216.34,            http://[2002:5db8:d822::1]/,      false, true
          [64:ff9b::5db8:d822],     http://93.184.216.34/,            false, true
          *.93.184.216.34,          http://93.184.216.34/,            false, false
          a.example/p,              https://a.example/%70/x,          false, true
          a.example/p,              https://a.example/p;a/x,          false, true
          a.example/%70,            https://a.example/p,              false, true
          93.184.216.34:80,         http://93.184.216.34/,            true,  true
          93.184.216.34/p,          http://93.184.216.34/p,           true,  true
          184.216.34,               http://93.184.216.34/,            false, false
          *.216.34,                 http://93.184.216.34/,            false, false
          example,                  http://93.184.216.34/,            false, false
          [2001:db8::1],            http://[2001:db8:0::1]/,          true,  true
          [2001:db8::1]:80,         http://[2001:db8::1]/,            true,  true
          [2001:db8::1]:81,         http://[2001:db8::1]/,            false, false
          2001:db8::1,              http://[2001:db8::1]/,            false, false
          1.2.3.4.5,                http://1.2.3.4/,                  false, false
          a b.example,              https://b.example/,               false, false
          u@a.example,              https://a.example/,               false, false
          https://u@a.example/,     https://a.example/,               true,  true
          https://u@v@a.example/,   https://a.example/,               false, false
          """)
  void matchHosts(String entry, String text, boolean allows, boolean blocks) {
    Url url = Url.parse(text, Url.WEB).orElseThrow();

    assertThat(DomainLists.allow(DomainLists.allowing(List.of("other.test", entry)), url))
        .isEqualTo(allows);
    assertThat(DomainLists.block(DomainLists.blocking(List.of("other.test", entry)), url))
        .isEqualTo(blocks);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          ａ.example,         https://a.example/,     false, true
          '\u00a0a.example',  https://a.example/,     true,  true
          a.example/é,        https://a.example/é/x,  true,  true
          a.example/ﬁ,        https://a.example/ﬁ/x,  true,  true
          wätter.example,     https://wetter.example/, false, false
          """)
  void readBlockedEntriesInTheirPlainFormToo(
      String entry, String text, boolean allows, boolean blocks) {
    matchHosts(entry, text, allows, blocks);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          pastebin.com,               true
          a.b.pastebin.com,           true
          eu.ngrok-free.app,          true
          burpcollaborator.net,       true
          notpastebin.com,            false
          pastebin.com.example,       false
          com,                        false
          localhost,                  false
          10.0.0.1,                   false
          """)
  void knowDropPoints(String host, boolean known) {
    assertThat(DomainLists.isDropPoint(Host.parse(host).orElseThrow())).isEqualTo(known);
  }
}
