package dev.safeconduct.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

final class IsoInstantTest {
  private static final long LAST = 253_402_300_799_999L; // 9999-12-31T23:59:59.999Z

  private static DateTimeFormatter formatter(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  @Property
  void writesWhatTheFormatterWrites(
      @ForAll @LongRange(min = -62_167_219_200_000L, max = LAST) long ms) {
    Instant at = Instant.ofEpochMilli(ms);
    assertThat(IsoInstant.millis(at))
        .isEqualTo(formatter("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").format(at));
    assertThat(IsoInstant.seconds(at)).isEqualTo(formatter("uuuu-MM-dd'T'HH:mm:ss'Z'").format(at));
  }

  @Test
  void refusesYearsOfMoreDigits() {
    assertThatThrownBy(() -> IsoInstant.millis(Instant.ofEpochMilli(LAST + 1)))
        .isInstanceOf(DateTimeException.class);
  }
}
