package dev.safeconduct.authzen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The example does what its page says. */
final class AuthzenExampleTest {
  @Test
  void printsWhatItsPageSays() throws IOException, InterruptedException {
    try (TestService service = TestService.start()) {
      String base = service.base().toString();
      ProcessBuilder setup =
          new ProcessBuilder("sh", Records.EXAMPLE.resolve("setup.sh").toString())
              .redirectErrorStream(true);
      setup
          .environment()
          .putAll(
              Map.of(
                  "SAFECONDUCT", base.substring(0, base.length() - 1),
                  "SAFECONDUCT_KEY", service.key(),
                  "SAFECONDUCT_ORG", service.org(),
                  "SAFECONDUCT_ADMIN_TOKEN", TestService.ADMIN_TOKEN));
      Process process = setup.start();
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(printed).isZero();
      String page = Files.readString(Records.EXAMPLE.resolve("README.md"));
      String said = page.substring(page.indexOf("```json\n") + 8, page.lastIndexOf("```"));
      assertThat(printed).isEqualTo(said);
    }
  }
}
