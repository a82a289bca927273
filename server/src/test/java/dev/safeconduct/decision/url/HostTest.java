package dev.safeconduct.decision.url;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          Weather.Example,           weather.example
          weather.example.,          weather.example
          a_b-c.x1,                  a_b-c.x1
          xn--wtter-gra.example,     xn--wtter-gra.example
          1.2.3.example,             1.2.3.example
          1.2.3.0xg,                 1.2.3.0xg
          1.2.3.4a,                  1.2.3.4a
          0x7f.example,              0x7f.example
          127.0.0.1,                 127.0.0.1
          127.0.0.1.,                127.0.0.1
          127.1,                     127.0.0.1
          127.0.1,                   127.0.0.1
          127.65535,                 127.0.255.255
          1.256,                     1.0.1.0
          2130706433,                127.0.0.1
          017700000001,              127.0.0.1
          0x7f000001,                127.0.0.1
          0X7F.1,                    127.0.0.1
          0x7f.1,                    127.0.0.1
          0177.0.0.1,                127.0.0.1
          0000000000177.0.0.1,       127.0.0.1
          10.0x.0.1,                 10.0.0.1
          0x,                        0.0.0.0
          0,                         0.0.0.0
          00,                        0.0.0.0
          4294967295,                255.255.255.255
          255.255.255.0xff,          255.255.255.255
          192.168.65535,             192.168.255.255
          1.16777215,                1.255.255.255
          [::],                      [::]
          [::1],                     [::1]
          [0:0:0:0:0:0:0:1],         [::1]
          [2001:DB8::A],             [2001:db8::a]
          [1:2:3:4:5:6:7::],         [1:2:3:4:5:6:7:0]
          [::2:3:4:5:6:7:8],         [0:2:3:4:5:6:7:8]
          [1::8],                    [1::8]
          [1:0:0:2:0:0:0:3],         [1:0:0:2::3]
          [::ffff:1.2.3.4],          [::ffff:102:304]
          [1:2:3:4:5:6:1.2.3.4],     [1:2:3:4:5:6:102:304]
          [::0.0.0.0],               [::]
          [::255.255.255.255],       [::ffff:ffff]
          """)
  void hasOneForm(String text, String canonical) {
    assertThat(Host.parse(text)).get().extracting(Host::text).isEqualTo(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        ".a",
        "a..b",
        "a..",
        "a b",
        "a%2eb",
        "wätter.example",
        "weather。example",
        "a*b",
        "a/b",
        "a:b",
        "a@b",
        // Bad IPv4 numbers.
        "1.2.3.4.5",
        "256.1.1.1",
        "1.2.3.256",
        "1.2.65536",
        "1.16777216",
        "4294967296",
        "99999999999999999999999999",
        "0x100000000",
        "08",
        "1.2.3.09",
        "weather.1",
        "weather.0x1f",
        "a.b.c.0x",
        "0xg.1",
        "1.0x1z.2",
        // Bad IPv6 addresses.
        "[",
        "[]",
        "[::1",
        "::1",
        "[:]",
        "[:::]",
        "[1]",
        "[1:2:3:4:5:6:7]",
        "[1:2:3:4:5:6:7:8:9]",
        "[1:2:3:4:5:6:7:8::]",
        "[::1:2:3:4:5:6:7:8]",
        "[1::2::3]",
        "[1:2:3:4:5:6:7:]",
        "[:1:2:3:4:5:6:7]",
        "[12345::]",
        "[g::]",
        "[fe80::1%eth0]",
        "[fe80::1%25eth0]",
        "[::1.2.3]",
        "[::1.2.3.4.5]",
        "[::1.2.3.256]",
        "[::01.2.3.4]",
        "[::0x1.2.3.4]",
        "[1:2:3:4:5:6:7:1.2.3.4]",
        "[::1.2.3.4:1]",
        "[127.0.0.1]",
        "[a.example]",
        "[ ::1]"
      })
  void isNoHost(String text) {
    assertThat(Host.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {252, 253, 254, 255, 10_000_000})
  void isAtMost253CharactersLong(int length) {
    String name = "a".repeat(length);

    assertThat(Host.parse(name).isPresent()).isEqualTo(length <= 253);
    assertThat(Host.parse(name + ".").isPresent()).isEqualTo(length <= 253);
    assertThat(Host.parse("[" + name + "]")).isEmpty();
  }
}
