package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.net.AddressRange;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientAddressTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          203.0.113.9 | 10.0.0.0/8            | 198.51.100.1                    | 203.0.113.9
          10.1.2.3    | 10.0.0.0/8            | 198.51.100.1                    | 198.51.100.1
          10.1.2.3    | 10.0.0.0/8            | 1.1.1.1, 198.51.100.1, 10.9.9.9 | 198.51.100.1
          10.1.2.3    | 10.0.0.0/8            | 1.1.1.1, nonsense               | 10.1.2.3
          10.1.2.3    | 10.0.0.0/8            | 1.1.1.1, nonsense, 10.0.0.7     | 10.0.0.7
          10.1.2.3    | 10.0.0.0/8            | 10.0.0.7, 10.0.0.8              | 10.0.0.7
          10.1.2.3    | 10.0.0.0/8            | 198.51.100.1:4711               | 198.51.100.1
          10.1.2.3    | 10.0.0.0/8            | [2001:db8::1]:4711              | 2001:db8:0:0:0:0:0:1
          10.1.2.3    | 10.0.0.0/8            | 198.51.100.0/24                 | 10.1.2.3
          10.129.0.1  | 10.0.0.0/9            | 198.51.100.1                    | 10.129.0.1
          10.127.0.1  | 10.0.0.0/9            | 198.51.100.1                    | 198.51.100.1
          ::1         | ::1,fd00::/8          | 198.51.100.1, fd12::3           | 198.51.100.1
          10.1.2.3    | -                     | 198.51.100.1                    | 10.1.2.3
          """)
  void isThePeersOrTheLastUntrusted(String peer, String trusted, String header, String client) {
    List<AddressRange> ranges =
        trusted == null
            ? List.of()
            : Arrays.stream(trusted.split(",", -1))
                .map(AddressRange::parse)
                .flatMap(Optional::stream)
                .toList();
    assertThat(new ClientAddress(ranges).of(InetAddress.ofLiteral(peer), List.of(header)))
        .isEqualTo(client);
  }
}
