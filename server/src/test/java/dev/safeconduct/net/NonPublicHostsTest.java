package dev.safeconduct.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an address is, by the one table. */
final class NonPublicHostsTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          127.0.0.1,                 LOOPBACK
          ::1,                       LOOPBACK
          10.1.2.3,                  PRIVATE
          fd12::1,                   PRIVATE
          169.254.169.254,           LINK_LOCAL
          169.254.170.2,             LINK_LOCAL
          100.100.100.200,           METADATA
          fd00:ec2::254,             METADATA
          fd00:ec2::23,              METADATA
          fd20:ce::254,              METADATA
          192.0.0.192,               METADATA
          64:ff9b::169.254.169.254,  LINK_LOCAL
          2002:a9fe:a9fe::,          LINK_LOCAL
          ::,                        UNSPECIFIED
          ::2,                       UNSPECIFIED
          168.63.129.16,             METADATA
          64:ff9b:1::a9fe:a9fe,      TUNNEL
          ::ffff:0:a9fe:a9fe,        LINK_LOCAL
          2003::5efe:10.0.0.1,       PRIVATE
          192.88.99.1,               PRIVATE
          2001::1,                   TUNNEL
          2002:909:909::5efe:a00:1,  PRIVATE
          2002:a00:1::5efe:909:909,  PRIVATE
          9.9.9.9,                   -
          2606:4700::1111,           -
          """)
  void anAddressIs(String text, String kind) {
    IpAddress address = IpAddress.parse(text).orElseThrow();
    assertThat(NonPublicHosts.kind(address).map(Enum::name).orElse("-")).isEqualTo(kind);
  }
}
