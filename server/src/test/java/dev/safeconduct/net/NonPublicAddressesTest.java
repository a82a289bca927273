package dev.safeconduct.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an address is to decisions and to webhooks, by one table. */
final class NonPublicAddressesTest {
  private static final EnumSet<NonPublicAddresses.Kind> ALL =
      EnumSet.allOf(NonPublicAddresses.Kind.class);

  /** Decisions pass some that webhooks refuse: their catalogue does not list those. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          127.0.0.1,                true,  false, LOOPBACK
          ::1,                      true,  false, LOOPBACK
          10.1.2.3,                 true,  false, PRIVATE
          fd12::1,                  true,  false, PRIVATE
          169.254.169.254,          true,  true,  LINK_LOCAL
          169.254.170.2,            true,  true,  LINK_LOCAL
          100.100.100.200,          true,  true,  METADATA
          fd00:ec2::254,            true,  true,  METADATA
          fd00:ec2::23,             true,  false, METADATA
          fd20:ce::254,             true,  false, METADATA
          192.0.0.192,              true,  false, METADATA
          64:ff9b::169.254.169.254, true,  true,  LINK_LOCAL
          2002:a9fe:a9fe::,         true,  true,  LINK_LOCAL
          ::,                       true,  false, UNSPECIFIED
          ::2,                      true,  false, UNSPECIFIED
          168.63.129.16,            false, false, METADATA
          64:ff9b:1::a9fe:a9fe,     false, false, PRIVATE
          ::ffff:0:a9fe:a9fe,       false, false, LINK_LOCAL
          2003::5efe:10.0.0.1,      false, false, PRIVATE
          192.88.99.1,              false, false, PRIVATE
          2001::1,                  false, false, TUNNEL
          2002:909:909::5efe:a00:1, false, false, PRIVATE
          2002:a00:1::5efe:909:909, true,  false, PRIVATE
          9.9.9.9,                  false, false, -
          2606:4700::1111,          false, false, -
          """)
  void anAddressIs(String text, boolean isPrivate, boolean isMetadata, String kind) {
    IpAddress address = IpAddress.parse(text).orElseThrow();
    assertThat(NonPublicAddresses.isPrivateToDecisions(address)).isEqualTo(isPrivate);
    assertThat(NonPublicAddresses.isMetadataToDecisions(address)).isEqualTo(isMetadata);
    assertThat(NonPublicAddresses.kind(address, ALL).map(Enum::name).orElse("-")).isEqualTo(kind);
  }
}
