package dev.safeconduct.access;

import java.util.LinkedHashMap;
import java.util.Map;

/** A browser and its system in words, by which people recognize their sessions. */
public final class DeviceName {
  /** The first that the header contains counts: most browsers also name those they resemble. */
  private static final Map<String, String> BROWSERS = new LinkedHashMap<>();

  private static final Map<String, String> SYSTEMS = new LinkedHashMap<>();

  static {
    BROWSERS.put("Edg", "Edge");
    BROWSERS.put("OPR/", "Opera");
    BROWSERS.put("SamsungBrowser", "Samsung Internet");
    BROWSERS.put("Firefox/", "Firefox");
    BROWSERS.put("FxiOS/", "Firefox");
    BROWSERS.put("Chrome/", "Chrome");
    BROWSERS.put("CriOS/", "Chrome");
    BROWSERS.put("Safari/", "Safari");
    BROWSERS.put("curl/", "curl");
    SYSTEMS.put("iPhone", "iPhone");
    SYSTEMS.put("iPad", "iPad");
    SYSTEMS.put("Android", "Android");
    SYSTEMS.put("Windows", "Windows");
    SYSTEMS.put("Mac OS X", "macOS");
    SYSTEMS.put("CrOS", "ChromeOS");
    SYSTEMS.put("Linux", "Linux");
  }

  private DeviceName() {}

  /**
   * Returns the words for a browser.
   *
   * @param userAgent the header {@code User-Agent}; anything may be in it, and none of it is kept
   */
  public static String of(String userAgent) {
    String browser = find(BROWSERS, userAgent, "Unknown browser");
    String system = find(SYSTEMS, userAgent, "");
    return system.isEmpty() ? browser : browser + " on " + system;
  }

  private static String find(Map<String, String> names, String userAgent, String otherwise) {
    return names.entrySet().stream()
        .filter(each -> userAgent.contains(each.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(otherwise);
  }
}
