package dev.safeconduct.testkit;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * What axe-core finds wrong with a page for assistive technology: its serious and critical findings
 * by its usual rules. Only those are brought over from the browser, which is most of the time that
 * a whole report takes.
 */
public final class Axe {
  private static final String RUN =
      """
      async rules => {
        const options = {resultTypes: ['violations'], elementRef: false};
        if (rules.length) options.runOnly = {type: 'rule', values: rules};
        const found = await axe.run(document, options);
        return found.violations
          .filter(each => ['serious', 'critical'].includes(each.impact))
          .map(each => each.id + ' at ' + each.nodes[0].target + ' ' + each.nodes[0].failureSummary);
      }
      """;

  private Axe() {}

  /** Has every page that the profile opens from now on bring axe-core along. */
  public static void addTo(Chromium.Profile profile) {
    try (InputStream source =
        Objects.requireNonNull(AxeBuilder.class.getResourceAsStream("/axe.min.js"))) {
      profile.context().addInitScript(new String(source.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is wrong with the page as it stands there; by these rules only, or by all where none. */
  public static List<String> findings(Page page, String... rules) {
    // Findings by a rule that axe does not know would be none.
    if (!(page.evaluate(
                "rules => rules.every(rule => axe.getRules().some(r => r.ruleId === rule))",
                List.of(rules))
            instanceof Boolean known
        && known)) {
      throw new AssertionError("no such rule: " + List.of(rules));
    }
    if (page.evaluate(RUN, List.of(rules)) instanceof List<?> found) {
      return found.stream().map(String::valueOf).toList();
    }
    throw new AssertionError("axe did not run");
  }
}
