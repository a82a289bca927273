package dev.safeconduct.decision.url;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.net.NonPublicHosts.Kind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostKindTest {
  /** Every block with its first and last address and its neighbours outside all blocks. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          0.0.0.0,         0.255.255.255,     -,                1.0.0.0
          10.0.0.0,        10.255.255.255,    9.255.255.255,    11.0.0.0
          100.64.0.0,      100.127.255.255,   100.63.255.255,   100.128.0.0
          127.0.0.0,       127.255.255.255,   126.255.255.255,  128.0.0.0
          169.254.0.0,     169.254.255.255,   169.253.255.255,  169.255.0.0
          172.16.0.0,      172.31.255.255,    172.15.255.255,   172.32.0.0
          192.0.0.0,       192.0.0.255,       191.255.255.255,  192.0.1.0
          192.0.2.0,       192.0.2.255,       192.0.1.255,      192.0.3.0
          192.88.99.0,     192.88.99.255,     192.88.98.255,    192.88.100.0
          192.168.0.0,     192.168.255.255,   192.167.255.255,  192.169.0.0
          198.18.0.0,      198.19.255.255,    198.17.255.255,   198.20.0.0
          198.51.100.0,    198.51.100.255,    198.51.99.255,    198.51.101.0
          203.0.113.0,     203.0.113.255,     203.0.112.255,    203.0.114.0
          224.0.0.0,       239.255.255.255,   223.255.255.255,  -
          240.0.0.0,       255.255.255.255,   -,                -
          [100::],         [100:0:0:1:ffff:ffff:ffff:ffff], [ff:ffff:ffff:ffff:ffff::], [100:0:0:2::]
          [3fff::],        [3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff], [3ffe:ffff::], [3fff:1000::]
          [5f00::],        [5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff], [5eff:ffff::], [5f01::]
          [2001:10::],     [2001:1f:ffff:ffff:ffff:ffff:ffff:ffff], [2001:f:ffff::], -
          [2001:20::],     [2001:2f:ffff:ffff:ffff:ffff:ffff:ffff], -, [2001:30::]
          [2001::],        [2001:0:ffff:ffff:ffff:ffff:ffff:ffff], [2000:ffff::], [2001:1::]
          [64:ff9b:1::],   [64:ff9b:1:ffff:ffff:ffff:ffff:ffff], [64:ff9b:0:ffff::], [64:ff9b:2::]
          [2001:db8::],    [2001:db8:ffff:ffff:ffff:ffff:ffff:ffff], [2001:db7:ffff::], [2001:db9::]
          [fc00::],        [fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff], [fbff:ffff::], [fe00::]
          [fe80::],        [febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff], [fe7f:ffff::], -
          [fec0::],        [feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff], -, -
          [ff00::],        [ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff], -, -
          """)
  void areAddressesOfReservedBlocks(String first, String last, String before, String after) {
    assertThat(isPrivate(first)).isTrue();
    assertThat(isPrivate(last)).isTrue();
    assertThat(before.equals("-") || !isPrivate(before)).isTrue();
    assertThat(after.equals("-") || !isPrivate(after)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          [::],                     true
          [::1],                    true
          [::ffff:10.1.2.3],        true
          [::ffff:c0a8:101],        true
          [::ffff:9.9.9.9],         false
          [::10.1.2.3],             true
          [::9.9.9.9],              false
          [64:ff9b::10.1.2.3],      true
          [64:ff9b::9.9.9.9],       false
          [64:ff9b::1:10.1.2.3],    false
          [64:ff9b:1::10.1.2.3],    true
          [::fffe:10.1.2.3],        false
          [::ffff:0:10.1.2.3],      true
          [::ffff:0:9.9.9.9],       false
          [2606:4700::5efe:10.1.2.3], true
          [2606:4700::200:5efe:a01:203], true
          [2606:4700::5efe:9.9.9.9], false
          [2002:0a01:0203::],       true
          [2002:0a01:0203:9::9],    true
          [2002:0909:0909::],       false
          [2003:0a01:0203::],       false
          [2606:4700::1111],        false
          """)
  void areAddressesThatStandForPrivateOnes(String host, boolean judged) {
    assertThat(isPrivate(host)).isEqualTo(judged);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "intranet",
        "intranet.",
        "localhost",
        "LOCALHOST",
        "com",
        "localtest.me",
        "lvh.me",
        "a.localhost",
        "printer.local",
        "db.internal",
        "a.b.intranet",
        "x.localdomain",
        "nas.lan",
        "x.home.arpa",
        "9.9.9.9.nip.io",
        "9-9-9-9.sslip.io",
        "x.xip.io",
        "x.localtest.me",
        "x.lvh.me",
        "x.vcap.me",
        "kubernetes.default",
        "kubernetes.default.svc",
        "a.svc",
        "a.corp",
        "a.home",
        "a.private",
        "a.consul",
        "a.localdomain6",
        "x.traefik.me",
        "metadata",
        "instance-data"
      })
  void areNamesOfInsideHosts(String host) {
    assertThat(isPrivate(host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "weather.example",
        "localhost.example",
        "mylocaltest.me",
        "nip.io",
        "home.arpa",
        "local.example",
        "internal.example",
        "x.mylan",
        "a.kubernetes.default",
        "svc.example",
        "9.9.9.9"
      })
  void areNotOthers(String host) {
    assertThat(isPrivate(host)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          169.254.169.254,               true
          0xa9fea9fe,                    true
          169.254.170.2,                 true
          100.100.100.200,               true
          [fd00:ec2::254],               true
          [::ffff:169.254.169.254],      true
          [::a9fe:a9fe],                 true
          [64:ff9b::169.254.170.2],      true
          [2002:a9fe:a9fe::1],           true
          metadata.google.internal,      true
          Metadata.Google.Internal.,     true
          metadata.goog,                 true
          metadata,                      true
          instance-data,                 true
          169.254.0.1,                   true
          [fe80::1],                     true
          [fd00:ec2::253],               true
          [fd00:c1::a9fe:a9fe],          true
          168.63.129.16,                 true
          192.0.0.192,                   true
          0.0.0.0,                       true
          0,                             true
          [::],                          true
          224.0.0.1,                     true
          255.255.255.255,               true
          [ff02::1],                     true
          [2001::7f00:1],                true
          [64:ff9b:1::808:808],          true
          [::ffff:0:a9fe:a9fe],          true
          [2606:4700::5efe:a9fe:a9fe],   true
          x.metadata.goog,               true
          metadata.azure.internal,       true
          instance-data.ec2.internal,    true
          a.rancher-metadata,            true
          [fd01:ec2::253],               false
          metadata.example,              false
          xmetadata.goog,                false
          192.0.0.191,                   false
          10.0.0.1,                      false
          [::1],                         false
          """)
  void includeMetadataServices(String host, boolean metadata) {
    assertThat(Host.parse(host).orElseThrow().kind().filter(Kind::isNever).isPresent())
        .isEqualTo(metadata);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          localhost,            true
          127.0.0.1,            true
          127.255.255.255,      true
          [::1],                true
          [::ffff:127.0.0.1],   false
          a.localhost,          false
          128.0.0.1,            false
          [::2],                false
          """)
  void includeThisMachine(String host, boolean loopback) {
    assertThat(Host.parse(host).orElseThrow().isLoopback()).isEqualTo(loopback);
  }

  private static boolean isPrivate(String host) {
    return Host.parse(host).orElseThrow().kind().isPresent();
  }
}
