package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What the search answers, as a page and at each keystroke. */
final class SearchTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final Calls operator = service.operator();

  @Test
  void aKeystrokeGetsTheResultsOnly() {
    String found = "href=\"/console/policies/web.fetch.v1\"";
    String page = operator.get("/console/search?q=web.fetch").text();
    assertThat(page).contains("<title>", "id=\"found\"", found);
    String part = operator.with("HX-Request", "true").get("/console/search?q=web.fetch").text();
    assertThat(part).contains("id=\"found\"", found).doesNotContain("<title>", "<nav");
  }

  @Test
  void partsHaveTheContentSecurityPolicyOfPages() {
    for (String value : List.of("", "true")) {
      assertThat(
              operator
                  .with("HX-Request", value)
                  .get("/console/search?q=%3Cimg%20src%3Dx%3E")
                  .headers()
                  .firstValue("Content-Security-Policy"))
          .hasValueSatisfying(policy -> assertThat(policy).contains("script-src 'self'"));
    }
  }
}
