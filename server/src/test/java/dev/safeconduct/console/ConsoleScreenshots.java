package dev.safeconduct.console;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.safeconduct.testkit.Chromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Takes pictures of every page of the console. {@code make screenshots} runs it by its name. */
final class ConsoleScreenshots {
  @Test
  void takePictures() throws IOException {
    Path folder =
        Files.createDirectories(Path.of(System.getProperty("safeconduct.screenshots", "target")));
    try (var tour = new ConsoleTour()) {
      for (String look : List.of("light", "dark", "phone")) {
        boolean phone = look.equals("phone");
        try (Chromium.Profile profile =
            Chromium.profile(
                phone ? 390 : 1280,
                phone ? 844 : 900,
                look.equals("dark") ? ColorScheme.DARK : ColorScheme.LIGHT,
                true)) {
          Page page = profile.page();
          for (Map.Entry<String, String> each : tour.pages().entrySet()) {
            if (!each.getValue().equals(ConsoleTour.SIGN_IN)) {
              tour.enter(profile);
            }
            page.navigate(tour.url(each.getValue()));
            page.screenshot(
                new Page.ScreenshotOptions()
                    .setPath(folder.resolve(each.getKey() + "-" + look + ".png")));
          }
        }
      }
    }
  }
}
