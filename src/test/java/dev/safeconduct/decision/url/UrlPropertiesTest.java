package dev.safeconduct.decision.url;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class UrlPropertiesTest {
  private static final Pattern PADDED = Pattern.compile("(^|[.:])0[0-9]+(\\.|$)|0[0-9a-f]{4}");

  @Property
  void anyTextIsReadOrRefused(@ForAll String text) {
    assertThat(Url.parse(text, Url.WEB).isPresent() && Ascii.holdsForbidden(text)).isFalse();
    assertThat(Host.parse(text)).isNotNull();
    assertThat(DomainEntry.parse(text)).isNotNull();
  }

  @Property
  void anyTextLikeAUrlIsReadOrRefused(@ForAll("urls") String text) {
    Optional<Url> url = Url.parse(text, Url.WEB);

    assertThat(url.map(Url::host).flatMap(host -> Host.parse(host.text())))
        .isEqualTo(url.map(Url::host));
  }

  @Property
  void aHostHasOneForm(@ForAll("hosts") String text) {
    Host.parse(text)
        .ifPresent(host -> {
          assertThat(Host.parse(host.text())).contains(host);
          assertThat(Host.parse(host.text()).map(Host::text)).contains(host.text());
        });
  }

  @Property
  void everyAddressIsReadBack(@ForAll int bits, @ForAll long high, @ForAll long low) {
    assertThat(Host.parse(new Ipv4(bits).text())).contains(new Ipv4(bits));
    assertThat(Host.parse(Integer.toUnsignedString(bits))).contains(new Ipv4(bits));
    assertThat(Host.parse("0x" + Integer.toHexString(bits))).contains(new Ipv4(bits));
    assertThat(Host.parse("0" + Integer.toOctalString(bits))).contains(new Ipv4(bits));
    assertThat(Host.parse(new Ipv6(high, low).text())).contains(new Ipv6(high, low));
  }

  /** The JDK reads two forms more: padded numbers in an IPv4 tail, and padded groups. */
  @Property(tries = 5000)
  void ipv6IsWhatTheJdkReads(@ForAll("ipv6") String text) throws Exception {
    Optional<Host> ours = Host.parse("[" + text + "]");

    if (!PADDED.matcher(text).find()) {
      assertThat(ours).as(text).isEqualTo(jdk(text));
    }
  }

  @Property
  void anAllowListOfOneHostAdmitsItAndWhatIsBelow(
      @ForAll("names") String name, @ForAll("urls") String text) {
    Optional<Url> url = Url.parse(text, Url.WEB);
    boolean admitted = url.isPresent() && DomainLists.allow(List.of(name), url.get());

    assertThat(admitted)
        .isEqualTo(
            url.map(Url::host)
                .map(Host::text)
                .filter(host -> host.equals(name) || host.endsWith("." + name))
                .isPresent());
  }

  @Property
  void normalPathsStayAsTheyAre(@ForAll("paths") String path) {
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
      return Optional.of(new Ipv6(0, 0xFFFF_0000_0000L | Integer.toUnsignedLong(bits)));
    }
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return Optional.of(new Ipv6(bytes.getLong(), bytes.getLong()));
  }

  @Provide
  Arbitrary<String> names() {
    return Arbitraries.of("a.example", "b.a.example", "example", "x-y.test");
  }

  @Provide
  Arbitrary<String> hosts() {
    return joined(
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

  @Provide
  Arbitrary<String> urls() {
    return joined(
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
            "é")
        .map(rest -> "https://" + rest);
  }

  @Provide
  Arbitrary<String> paths() {
    return joined(9, "/", "a", ".", "..", "%2e", "%2F", "%25", "b*").map(rest -> "/" + rest);
  }

  @Provide
  Arbitrary<String> ipv6() {
    return joined(12, ":", ":", "::", "0", "1", "ffff", "12ab", "12345", "1.2.3.4", ".", "g", "%");
  }

  private static Arbitrary<String> joined(int most, String... parts) {
    return Arbitraries.of(parts).list().ofMaxSize(most).map(list -> String.join("", list));
  }
}
