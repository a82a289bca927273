package dev.safeconduct.site;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The documentation as a browser gets it. */
@Tag("slow")
final class DocumentationTest {
  private static final Pattern FRAGMENT = Pattern.compile("href=\"([^\"#]*)#([^\"]+)\"");

  private static final String VIEWER = "/api/documentation/reference";

  @AutoClose private static final TestService service = TestService.start();

  @Test
  void everyAnchorOfThePagesIsThere() {
    var missing = new ArrayList<String>();
    for (String path : pages()) {
      String html = service.nobody().get(path).text();
      Matcher found = FRAGMENT.matcher(html);
      while (found.find()) {
        String page = found.group(1).isEmpty() ? path : found.group(1);
        String target = service.nobody().get(page).text();
        if (page.startsWith("/") && !target.contains("id=\"" + found.group(2) + "\"")) {
          missing.add(path + " -> " + page + "#" + found.group(2));
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void onlyTheViewerOfTheApiRunsScripts() {
    for (String path : pages()) {
      Reply reply = service.nobody().get(path);
      assertThat(reply.header("Content-Type")).contains("text/html; charset=utf-8");
      String policy = reply.header("Content-Security-Policy").orElseThrow();
      assertThat(policy).startsWith("default-src 'none'").doesNotContain("unsafe");
      if (path.equals(VIEWER)) {
        assertThat(policy).contains("script-src 'self'");
        assertThat(reply.text()).doesNotContainPattern("<script(?![^>]* src=\"/assets/)");
      } else {
        assertThat(policy).doesNotContain("script-src");
        assertThat(reply.text()).as(path).doesNotContain("<script");
      }
    }
  }

  @Test
  void theViewerOpensTheOperationOfTheFragment() {
    opens(ColorScheme.LIGHT, VIEWER + "#/verify/verifyAction");
    opens(ColorScheme.DARK, VIEWER + "/verify#verifyAction");
    assertThat(service.nobody().get(VIEWER + "/nowhere").status()).isEqualTo(404);
    assertThat(service.nobody().get("/api/documentation/try").text())
        .isEqualTo(service.nobody().get(VIEWER).text());
  }

  @Test
  void tabsOpenOneAtATimeByKeyboardAndByAddress() {
    try (Chromium.Profile profile = Chromium.profile(1280, 900, ColorScheme.LIGHT, true)) {
      Page page = profile.page();
      page.navigate(service.base() + "api/documentation/sdk#java");
      assertThat(openTabs(page)).containsExactly("Java");
      page.locator(".tabs summary:has-text('Python')").focus();
      page.keyboard().press("Enter");
      assertThat(openTabs(page)).containsExactly("Python");
      assertThat(page.locator(".tabs pre:visible").innerText()).contains("from safeconduct import");
      assertThat(page.locator(".tabs summary:visible").allInnerTexts())
          .containsExactly("TypeScript", "Python", "Java", "curl");
    }
  }

  private static List<String> openTabs(Page page) {
    return page.locator(".tabs details[open] summary").allInnerTexts();
  }

  private static void opens(ColorScheme colors, String address) {
    try (Chromium.Profile profile = Chromium.profile(1280, 900, colors, true)) {
      Page page = profile.page();
      page.navigate(service.base() + address.substring(1));
      page.locator("#operations-verify-verifyAction .opblock-body")
          .waitFor(new Locator.WaitForOptions().setTimeout(60_000));
      assertThat(page.url()).endsWith(VIEWER + "#/verify/verifyAction");
      assertThat(page.locator(".opblock-tag").count()).isGreaterThan(10);
      assertThat(page.locator("html.dark-mode").count())
          .isEqualTo(colors == ColorScheme.DARK ? 1 : 0);
    }
  }

  private static Set<String> pages() {
    var pages = new HashSet<>(List.of("/api/documentation"));
    Matcher found =
        Pattern.compile("href=\"(/api/documentation/[^\"#]+)\"")
            .matcher(service.nobody().get("/api/documentation").text());
    while (found.find()) {
      pages.add(found.group(1));
    }
    assertThat(pages).hasSizeGreaterThan(10);
    return pages;
  }

  @Test
  void everyGuideIsListed() throws IOException {
    assertThat(listed(Path.of("docs"), Path.of("docs/reference")))
        .allSatisfy(page -> assertThat(pages()).contains(page));
  }

  private static List<String> listed(Path... folders) throws IOException {
    var pages = new ArrayList<String>();
    for (Path folder : folders) {
      try (Stream<Path> files = Files.list(folder)) {
        files
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith(".md"))
            .map(name -> "/api/documentation/" + name.substring(0, name.length() - 3))
            .forEach(pages::add);
      }
    }
    return pages;
  }
}
