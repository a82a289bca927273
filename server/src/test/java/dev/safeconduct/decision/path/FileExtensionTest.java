package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileExtensionTest {
  @ParameterizedTest
  @CsvSource({
    "/a/b.TXT, .txt",
    "a.tar.gz, .gz",
    "/a.d/b, ''",
    "/a/.env, .env",
    "/a/b., .",
    "b, ''",
    ".., .",
    "/a/\u00e9.\u00c4, .\u00e4",
  })
  void isTheTextFromTheLastDot(String path, String extension) {
    assertThat(PathValidators.extensionOf(path)).isEqualTo(extension);
  }

  @ParameterizedTest
  @CsvSource({
    "txt, /a.txt, true",
    ".txt, /a.TXT, true",
    "' TXT ', /a.txt, true",
    "txt, /a.txt/, true",
    "txt, /a.txt/b, false",
    "txt, /a.txt%00.x, false",
    "txt, /a.sh%2f..%2fa.txt, true",
    "txt, /a.txt%2fb.sh, false",
    "txt, /a\uff0etxt, true",
    "'', /a, true",
    "'', /a.txt, false",
    "*, /a.x, true",
    "'.*', /a.x, false",
    "., /a., true",
    "gz, /a.tar.gz, true",
    "tar.gz, /a.tar.gz, false",
  })
  void everyFormMustBeListed(String entry, String path, boolean admitted) {
    assertThat(PathValidators.admitsExtension(PathValidators.extensions(List.of(entry)), path))
        .isEqualTo(admitted);
  }

  @Test
  void anEmptyListAdmitsNothing() {
    assertThat(PathValidators.admitsExtension(Set.of(), "/a")).isFalse();
  }
}
