package dev.safeconduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Reply;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The documentation as a browser gets it. */
final class DocumentationTest {
  private static final Pattern FRAGMENT = Pattern.compile("href=\"([^\"#]*)#([^\"]+)\"");

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static TestService service;

  @BeforeAll
  static void start() {
    service = TestService.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

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
  void thePagesNeedNoScriptAndShowEveryOperation() {
    var shown = new StringBuilder();
    for (String path : pages()) {
      Reply reply = service.nobody().get(path);
      assertThat(reply.header("Content-Type")).contains("text/html; charset=utf-8");
      String policy = reply.header("Content-Security-Policy").orElseThrow();
      assertThat(policy).startsWith("default-src 'none'").doesNotContain("unsafe");
      if (!path.endsWith("/try")) {
        assertThat(policy).doesNotContain("script-src");
        assertThat(reply.text()).as(path).doesNotContain("<script");
        shown.append(reply.text());
      }
    }
    JsonObject contract = service.nobody().get("/api/openapi-json").json();
    contract
        .object("paths")
        .orElseThrow()
        .forEach((_, methods) ->
            ((JsonObject) methods)
                .forEach((_, operation) ->
                    assertThat(shown)
                        .contains(
                            "id=\""
                                + ((JsonObject) operation).string("operationId").orElseThrow()
                                + "\"")));
  }

  private static Set<String> pages() {
    var pages = new HashSet<>(List.of("/api/documentation"));
    Matcher found =
        Pattern.compile("href=\"(/api/documentation/[^\"#]+)\"")
            .matcher(service.nobody().get("/api/documentation").text());
    while (found.find()) {
      pages.add(found.group(1));
    }
    assertThat(pages).hasSizeGreaterThan(20);
    return pages;
  }

  @Test
  void everyGuideIsListed() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("docs"))) {
      assertThat(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> name.endsWith(".md"))
                  .map(name -> "/api/documentation/" + name.substring(0, name.length() - 3)))
          .allSatisfy(page -> assertThat(pages()).contains(page));
    }
  }
}
