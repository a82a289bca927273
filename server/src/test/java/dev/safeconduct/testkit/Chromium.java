package dev.safeconduct.testkit;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Debian's Chromium, one process for all tests; each test has a profile of its own. */
public final class Chromium {
  private static final List<String> PLACES =
      List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");

  private Chromium() {}

  private static final class Shared {
    private static final Playwright PLAYWRIGHT =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    private static final Browser BROWSER =
        PLAYWRIGHT
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(path())
                    .setHeadless(true)
                    .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")));

    private static Path path() {
      return PLACES.stream()
          .map(Path::of)
          .filter(Files::isExecutable)
          .findFirst()
          .orElseThrow(
              () -> new AssertionError("no Chromium; bin/test-prerequisites installs Debian's"));
    }
  }

  /** A profile without cookies; close it at the test's end. */
  public static Profile profile() {
    return profile(1280, 900, ColorScheme.LIGHT, true);
  }

  /** A profile with a window of that size in pixels. */
  public static Profile profile(int width, int height, ColorScheme colors, boolean scripts) {
    BrowserContext context =
        Shared.BROWSER.newContext(
            new Browser.NewContextOptions()
                .setViewportSize(width, height)
                .setColorScheme(colors)
                .setJavaScriptEnabled(scripts)
                .setTimezoneId("UTC")
                .setLocale("en-GB"));
    context.setDefaultTimeout(15_000);
    return new Profile(context);
  }

  /** One person's browser; whatever a page complains of fails the test at the end. */
  public static final class Profile implements AutoCloseable {
    private final BrowserContext context;
    private final List<String> complaints = new ArrayList<>();
    private @Nullable Page page;

    private Profile(BrowserContext context) {
      this.context = context;
      context.onConsoleMessage(message -> {
        if (message.type().equals("error") && !message.text().contains("status of 4")) {
          complaints.add(message.text());
        }
      });
      context.onWebError(error -> complaints.add(error.error()));
      // No page of ours opens one.
      context.onDialog(dialog -> {
        complaints.add("a dialog: " + dialog.message());
        dialog.dismiss();
      });
    }

    /** The one page of the profile. */
    public Page page() {
      Page open = page;
      if (open == null) {
        open = context.newPage();
        page = open;
      }
      return open;
    }

    public BrowserContext context() {
      return context;
    }

    /** What the browser has reported as errors: refused scripts and styles, exceptions. */
    public List<String> complaints() {
      return List.copyOf(complaints);
    }

    @Override
    public void close() {
      context.close();
    }
  }
}
