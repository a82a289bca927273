package dev.safeconduct.decision.url;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.net.IpAddress;
import dev.safeconduct.net.Ipv4;
import dev.safeconduct.net.Ipv6;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

class UrlPropertiesTest {
  private static final Pattern PADDED = Pattern.compile("(^|[.:])0[0-9]+(\\.|$)|0[0-9a-f]{4}");

  @RandomTest
  void anyTextIsReadOrRefused(RandomCase random) {
    String text = random.anyText();
    assertThat(Url.parse(text, Url.WEB).isPresent() && Ascii.holdsForbidden(text)).isFalse();
    assertThat(Host.parse(text)).isNotNull();
    assertThat(DomainEntry.parse(text)).isNotNull();
  }

  @RandomTest
  void anyTextLikeAUrlIsReadOrRefused(RandomCase random) {
    String text = urlText(random);
    Optional<Url> url = Url.parse(text, Url.WEB);

    assertThat(url.map(Url::host).flatMap(host -> Host.parse(host.text())))
        .isEqualTo(url.map(Url::host));
  }

  @RandomTest
  void aHostHasOneForm(RandomCase random) {
    String text = hostText(random);
    Host.parse(text)
        .ifPresent(host -> {
          assertThat(Host.parse(host.text())).contains(host);
          assertThat(Host.parse(host.text()).map(Host::text)).contains(host.text());
        });
  }

  @RandomTest
  void everyAddressIsReadBack(RandomCase random) {
    int bits = random.anyInt();
    long high = random.anyLong();
    long low = random.anyLong();
    var ipv4 = new Host.Address(new Ipv4(bits));
    assertThat(Host.parse(ipv4.text())).contains(ipv4);
    assertThat(Host.parse(Integer.toUnsignedString(bits))).contains(ipv4);
    assertThat(Host.parse("0x" + Integer.toHexString(bits))).contains(ipv4);
    assertThat(Host.parse("0" + Integer.toOctalString(bits))).contains(ipv4);
    var ipv6 = new Host.Address(new Ipv6(high, low));
    assertThat(Host.parse(ipv6.text())).contains(ipv6);
  }

  /** The JDK reads two forms more: padded numbers in an IPv4 tail, and padded groups. */
  @RandomTest(cases = 5000)
  void ipv6IsWhatTheJdkReads(RandomCase random) throws Exception {
    String text = ipv6Text(random);
    Optional<Host> ours = Host.parse("[" + text + "]");

    if (!PADDED.matcher(text).find()) {
      assertThat(ours).as(text).isEqualTo(jdk(text));
    }
  }

  @RandomTest
  void anAllowListOfOneHostAdmitsItAndWhatIsBelow(RandomCase random) {
    String name = random.one("a.example", "b.a.example", "example", "x-y.test");
    String text = urlText(random);
    Optional<Url> url = Url.parse(text, Url.WEB);
    boolean admitted =
        url.isPresent() && DomainLists.allow(DomainLists.allowing(List.of(name)), url.get());

    assertThat(admitted)
        .isEqualTo(
            url.map(Url::host)
                .map(Host::text)
                .filter(host -> host.equals(name) || host.endsWith("." + name))
                .isPresent());
  }

  @RandomTest
  void normalPathsStayAsTheyAre(RandomCase random) {
    String path = pathText(random);
    String normal = UrlPath.normal(path);

    assertThat(normal).startsWith("/").doesNotContain("//");
    assertThat(List.of(normal.split("/", -1))).doesNotContain(".", "..");
    if (path.indexOf('%') < 0) {
      assertThat(UrlPath.normal(normal)).isEqualTo(normal);
    }
  }

  private static Optional<Host> jdk(String text) throws Exception {
    if (text.indexOf(':') < 0 || text.indexOf('%') >= 0) {
      return Optional.empty();
    }
    InetAddress address;
    try {
      address = InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (address instanceof Inet4Address mapped) { // the JDK turns ::ffff:a.b.c.d into IPv4
      int bits = ByteBuffer.wrap(mapped.getAddress()).getInt();
      return Optional.of(
          new Host.Address(new Ipv6(0, 0xFFFF_0000_0000L | Integer.toUnsignedLong(bits))));
    }
    return Optional.of(new Host.Address(IpAddress.of(address.getAddress())));
  }

  private static String hostText(RandomCase random) {
    return random.joined(
        8,
        "a",
        "b.a",
        "example",
        "A.Example",
        ".",
        "..",
        "-",
        "_",
        "0",
        "127",
        "0x7f",
        "0177",
        "256",
        "[",
        "]",
        "::",
        ":",
        "ffff",
        "%");
  }

  private static String urlText(RandomCase random) {
    return "https://"
        + random.joined(
            9,
            "a.example",
            "b.",
            "x-y.test",
            ".",
            "@",
            ":",
            "/",
            "?",
            "#",
            "\\",
            "%2e",
            "80",
            "127.1",
            "[::1]",
            "user",
            "é");
  }

  private static String pathText(RandomCase random) {
    return "/" + random.joined(9, "/", "a", ".", "..", "%2e", "%2F", "%25", "b*");
  }

  private static String ipv6Text(RandomCase random) {
    return random.joined(
        12, ":", ":", "::", "0", "1", "ffff", "12ab", "12345", "1.2.3.4", ".", "g", "%");
  }
}
