package dev.safeconduct.console;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;

/**
 * Builds shell commands that do the same as a page through the API. Values are quoted for a POSIX
 * shell.
 */
public final class Curl {
  private static final String KEY = " \\\n  -H \"X-API-Key: $SAFECONDUCT_KEY\"";
  private static final String TOKEN = " \\\n  -H \"Authorization: Bearer $ADMIN_TOKEN\"";

  private Curl() {}

  public static String get(OpenPage page, String target) {
    return "curl -s " + quoted(page.baseUrl() + target) + credential(page, "GET", target);
  }

  public static String send(OpenPage page, String method, String target, JsonObject body) {
    return "curl -s -X "
        + method
        + " "
        + quoted(page.baseUrl() + target)
        + credential(page, method, target)
        + " \\\n  -H 'Content-Type: application/json'"
        + (body.isEmpty() ? "" : " \\\n  -d " + quoted(Json.text(body)));
  }

  /** Returns the header with the credential; some routes admit no API key. */
  private static String credential(OpenPage page, String method, String target) {
    return page.keyMay(method, target) ? KEY : TOKEN;
  }

  /** Returns a request of the address with this header. */
  static String get(String url, String header) {
    return "curl -s " + quoted(url) + " -H " + quoted(header);
  }

  /** Returns a verify request of an agent with its own key, which asks for a command. */
  static String verify(String baseUrl, String key, String command) {
    return "curl -s "
        + quoted(baseUrl + "/api/verify/policy/system.command.execute.v1")
        + " \\\n  -H "
        + quoted("X-API-Key: " + key)
        + " \\\n  -H 'Content-Type: application/json' \\\n  -d "
        + quoted(Json.text(JsonObject.of("context", JsonObject.of("command", command))));
  }

  public static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
