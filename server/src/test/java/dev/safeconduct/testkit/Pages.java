package dev.safeconduct.testkit;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a browser does with a page: keeps its cookies and sends its form back. */
public final class Pages {
  private static final Pattern CSRF = Pattern.compile("name=\"csrf_token\" value=\"([^\"]+)\"");

  private Pages() {}

  /** The cookies an answer sets, as the next request carries them. */
  public static String cookies(Reply reply) {
    List<String> pairs = new ArrayList<>();
    for (String cookie : reply.headers().allValues("Set-Cookie")) {
      pairs.add(cookie.substring(0, cookie.indexOf(';')));
    }
    return String.join("; ", pairs);
  }

  /** The hidden token of the page's form. */
  public static String csrfToken(Reply page) {
    Matcher found = CSRF.matcher(page.text());
    if (!found.find()) {
      throw new AssertionError("no form in " + page);
    }
    return found.group(1);
  }

  /** Sends the page's form back to where it came from. */
  public static Reply submit(Calls calls, String path, Reply page, Map<String, String> fields) {
    return post(
        calls.with("Cookie", cookies(page)).with("Sec-Fetch-Site", "same-origin"),
        path,
        form(csrfToken(page), fields));
  }

  /** Sends the page's form as somebody who has signed in. */
  public static Reply send(Calls person, String path, Reply page, Map<String, String> fields) {
    return post(person, path, form(csrfToken(page), fields));
  }

  /** Sends a form. */
  public static Reply post(Calls calls, String path, String form) {
    return calls.with("Content-Type", "application/x-www-form-urlencoded").post(path, form);
  }

  /** The fields of a form as it is sent. */
  public static String form(String csrfToken, Map<String, String> fields) {
    var text = new StringBuilder("csrf_token=" + encoded(csrfToken));
    fields.forEach(
        (name, value) -> text.append('&').append(name).append('=').append(encoded(value)));
    return text.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
