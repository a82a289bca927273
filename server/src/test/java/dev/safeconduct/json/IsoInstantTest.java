package dev.safeconduct.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IsoInstantTest {
  private static final long LAST = 253_402_300_799_999L; // 9999-12-31T23:59:59.999Z

  private static DateTimeFormatter formatter(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  @RandomTest
  void writesWhatTheFormatterWrites(RandomCase random) {
    Instant at = Instant.ofEpochMilli(random.between(-62_167_219_200_000L, LAST));
    assertThat(IsoInstant.millis(at))
        .isEqualTo(formatter("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").format(at));
    assertThat(IsoInstant.seconds(at)).isEqualTo(formatter("uuuu-MM-dd'T'HH:mm:ss'Z'").format(at));
  }

  @Test
  void refusesYearsOfMoreDigits() {
    assertThatThrownBy(() -> IsoInstant.millis(Instant.ofEpochMilli(LAST + 1)))
        .isInstanceOf(DateTimeException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "2027-01-31T00:00:00Z, 2027-01-31T00:00:00.000Z",
    "2027-01-31t00:00:00z, 2027-01-31T00:00:00.000Z",
    "2027-01-31T01:30:00.123456789+01:30, 2027-01-31T00:00:00.123Z",
    "2027-01-31T00:00:00-23:59, 2027-01-31T23:59:00.000Z",
    "0000-01-01T00:00:00Z, 0000-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999999999Z, 9999-12-31T23:59:59.999Z",
  })
  void readsWhatItCanWrite(String text, String written) {
    assertThat(IsoInstant.parse(text).map(IsoInstant::millis)).contains(written);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2027",
        "2027-01-31",
        "2027-01-31T00:00Z",
        "2027-01-31T00:00:00",
        "2027-02-30T00:00:00Z",
        "2027-01-31T00:00:00+24:00",
        "2027-01-31T00:00:00+01:00:30",
        "2027-01-31T00:00:00.0000000000Z",
        // Their years in UTC cannot be written.
        "9999-12-31T23:59:59-00:01",
        "0000-01-01T00:00:00+00:01",
        "+10000-01-01T00:00:00Z"
      })
  void readsNothingElse(String text) {
    assertThat(IsoInstant.parse(text)).isEmpty();
  }
}
