package dev.safeconduct.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AddressRangeTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          10.0.0.0/8,          10.255.255.255,       true
          10.0.0.0/8,          11.0.0.0,             false
          10.0.0.0/9,          10.128.0.0,           false
          10.0.0.7,            10.0.0.7,             true
          10.0.0.7,            10.0.0.6,             false
          0.0.0.0/0,           255.255.255.255,      true
          0.0.0.0/0,           ::1,                  false
          ::/0,                ffff::,               true
          ::/0,                1.2.3.4,              false
          fd00::/8,            fdff:1::,             true
          fd00::/8,            fe00::,               false
          2001:db8::/64,       2001:db8::ffff:1,     true
          2001:db8::/64,       2001:db8:0:1::,       false
          2001:db8::8/125,     2001:db8::f,          true
          2001:db8::8/125,     2001:db8::10,         false
          ::ffff:10.0.0.1,     10.0.0.1,             true
          ::ffff:10.0.0.0/104, 10.255.255.255,       true
          ::ffff:10.0.0.0/104, 11.0.0.0,             false
          ::ffff:0:0/96,       192.0.2.1,            true
          """)
  void holdsWhatHasItsPrefix(String range, String address, boolean holds) {
    assertThat(
            AddressRange.parse(range)
                .orElseThrow()
                .contains(IpAddress.parse(address).orElseThrow()))
        .isEqualTo(holds);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/x",
        "10.0.0.0/+8",
        "10.0.0.0/\u0668",
        "10.0.0.0/4294967304",
        "::ffff:10.0.0.0/24",
        "::ffff:10.0.0.0/129",
        "::/129",
        "10.0.0.256",
        "010.0.0.1",
        "localhost",
        "10.0.0.0/8/8",
        "fe80::1%eth0",
        "[::1]"
      })
  void isNotAnythingElse(String text) {
    assertThat(AddressRange.parse(text)).isEmpty();
  }
}
