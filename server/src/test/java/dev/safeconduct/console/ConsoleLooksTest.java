package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.safeconduct.testkit.Axe;
import dev.safeconduct.testkit.Chromium;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every page of the console as people see it: by assistive technology (axe-core), in light and
 * dark, and on a phone.
 */
@Tag("slow")
final class ConsoleLooksTest {
  private static final int PHONE = 360;

  /** Names in tables and lists with a word that begins on one line and ends on another. */
  private static final String BROKEN_WORDS =
      """
      [...document.querySelectorAll('main td code, main dt code, main code.parts')]
          .filter(code => code.checkVisibility()).flatMap(code => {
        const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), broken = [];
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
          for (const word of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(box => box.top)).size > 1) {
              broken.push(code.innerText);
            }
          }
        }
        return broken;
      })
      """;

  /** Pages on which every colour stands somewhere; the others are made of the same few. */
  private static final List<String> DARK =
      List.of("sign-in", "overview", "passport-suspend", "decision", "keys", "webhook");

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static ConsoleTour tour;

  @SuppressWarnings("NullAway.Init")
  private static Chromium.Profile stranger;

  @SuppressWarnings("NullAway.Init")
  private static Chromium.Profile person;

  @BeforeAll
  static void start() {
    tour = new ConsoleTour();
    stranger = Chromium.profile();
    Axe.addTo(stranger);
    person = Chromium.profile();
    Axe.addTo(person);
    tour.enter(person);
  }

  @AfterAll
  static void stop() {
    stranger.close();
    person.close();
    tour.close();
  }

  static Stream<Arguments> pages() {
    return tour.pages().entrySet().stream()
        .map(each -> Arguments.of(each.getKey(), each.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pages")
  void isAccessibleAndFitsAPhone(String name, String path) {
    Chromium.Profile profile = path.equals(ConsoleTour.SIGN_IN) ? stranger : person;
    Page page = profile.page();
    page.setViewportSize(1280, 900);
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
    assertThat(Objects.requireNonNull(page.navigate(tour.url(path))).status()).isEqualTo(200);
    assertThat(page.url()).isEqualTo(tour.url(path));
    assertThat(Axe.findings(page)).isEmpty();
    if (DARK.contains(name)) {
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
      assertThat(Axe.findings(page, "color-contrast")).as("dark").isEmpty();
    }
    page.setViewportSize(PHONE, 740);
    assertThat((int) page.evaluate("document.documentElement.scrollWidth"))
        .as("a phone shows it without scrolling sideways")
        .isLessThanOrEqualTo(PHONE);
    assertThat(page.evaluate(BROKEN_WORDS)).as("words on two lines").isEqualTo(List.of());
    assertThat(profile.complaints()).isEmpty();
  }

  /** What says that nothing is wrong would say so if something were. */
  @Test
  void aFaultWouldBeFound() {
    try (Chromium.Profile profile = Chromium.profile()) {
      Axe.addTo(profile);
      Page page = tour.enter(profile);
      page.navigate(tour.url("console/keys"));
      page.evaluate("document.querySelector('details.panel').open = true");
      page.evaluate("document.querySelector('label[for=name]').remove()");
      page.evaluate("document.querySelector('#name').removeAttribute('placeholder')");
      page.evaluate("document.querySelector('.lead').id = 'pale'");
      page.evaluate("document.querySelector('.lead').attributeStyleMap.set('color', '#eee')");
      page.evaluate(
          "document.querySelector('main').insertAdjacentHTML('beforeend',"
              + " '<p id=\"narrow\"><code class=\"parts\">allowed_<wbr>commands</code></p>')");
      page.evaluate("document.querySelector('#narrow').attributeStyleMap.set('width', '40px')");
      assertThat((List<?>) page.evaluate(BROKEN_WORDS)).first().isEqualTo("allowed_commands");
      assertThat(Axe.findings(page))
          .anyMatch(fault -> fault.startsWith("label at"))
          .anyMatch(fault -> fault.startsWith("color-contrast at"));
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
      assertThat(Axe.findings(page, "color-contrast")).isEmpty();
    }
  }
}
