package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class PathReadingsTest {
  @ParameterizedTest
  @CsvFileSource(resources = "/cases/path/readings.csv", numLinesToSkip = 1)
  void theLastReadingIsTheFileItself(String form, String last) {
    assertThat(PathReadings.of(form).getLast()).isEqualTo(last);
  }

  @Test
  void allNamesAreRead() {
    assertThat(PathReadings.of("/srv/app/main.c")).containsExactly("/srv/app/main.c");
    assertThat(PathReadings.of("//?/d:/Windows./xy:a"))
        .containsExactly(
            "/?/d:/Windows./xy:a",
            "/?/d:/Windows/xy",
            "/d:/Windows/xy",
            "C:/Windows/xy",
            "C:/Windows./xy:a");
    assertThat(PathReadings.of("../../proc/1/root/c/x"))
        .containsExactly("../../proc/1/root/c/x", "/proc/1/root/c/x", "/c/x", "C:/x");
  }

  @Test
  void charactersThatDisplayAsNothingAreLeftOut() {
    assertThat(PathReadings.of("/et\u034fc/x").getLast()).isEqualTo("/etc/x");
    assertThat(PathReadings.of("/srv/.\u200b./etc").getLast()).isEqualTo("/etc");
  }

  @Test
  void longPathsHaveFewReadings() {
    for (String part : List.of("/proc/1/root", "/proc/1/root/..", "/??", "/c", "/C:")) {
      List<String> readings = PathReadings.of(part.repeat(1000) + "/etc");
      assertThat(readings).hasSizeLessThan(60);
    }
    assertThat(PathReadings.of("/proc/1/root".repeat(1000) + "/etc")).contains("/etc");
    assertThat(PathReadings.of("../".repeat(4000) + "etc").getLast()).isEqualTo("/etc");
  }
}
