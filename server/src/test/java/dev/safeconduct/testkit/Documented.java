package dev.safeconduct.testkit;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds documented examples to what a running service answers: the same members, and the same
 * values but for those that differ by nature.
 *
 * <ul>
 *   <li>Ids, digests, signatures and key ids ({@link #NAMED}) stand for one live value each: the
 *       same documented text is the same live text wherever it occurs, also inside other text.
 *   <li>Times ({@link #TIMES}) have the same form.
 *   <li>Secrets, which are documented up to an ellipsis, begin alike ({@link #SECRETS}).
 *   <li>The numbers called {@link #VARYING} are numbers.
 * </ul>
 */
public final class Documented {
  private static final Set<String> VARYING =
      Set.of("log_index", "response_time_ms", "total_time_ms");

  private static final List<String> NAMED =
      List.of(
          "(?:ap|org|key|wh|dlv|msg|req|clm)_[0-9a-f]{32}",
          "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
          "sha256:[0-9a-f]{64}",
          "ed25519:[A-Za-z0-9+/]+=*",
          "oap:registry:[a-z_]+-[0-9a-f]{16}");

  private static final List<String> TIMES =
      List.of(
          "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
          "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z");

  private static final List<String> SECRETS = List.of("sck_[^ ]+", "whsec_[^ ]+");

  private static final Pattern NAME = Pattern.compile(String.join("|", NAMED));

  private final Map<String, String> live = new LinkedHashMap<>();

  /** Says what a documented text stands for. */
  public void name(String documented, String meant) {
    live.put(documented, meant);
  }

  /** The text with what it documents replaced by what is meant. */
  public String named(String text) {
    String result = text;
    for (Map.Entry<String, String> each : live.entrySet()) {
      result = result.replace(each.getKey(), each.getValue());
    }
    return result;
  }

  /** The live text in documented words, for somebody who mends an example. */
  public String documented(String text) {
    String result = text;
    for (Map.Entry<String, String> each : live.entrySet()) {
      result = result.replace(each.getValue(), each.getKey());
    }
    return result;
  }

  /** Where the two differ; nothing when the example is right. Learns new names on the way. */
  public List<String> differences(JsonValue example, JsonValue answer) {
    var differences = new ArrayList<String>();
    compare("", example, answer, differences);
    return differences;
  }

  private void compare(String at, JsonValue example, JsonValue answer, List<String> found) {
    switch (example) {
      case JsonObject wanted when answer instanceof JsonObject got -> {
        var names = new TreeSet<>(wanted.names());
        names.addAll(got.names());
        for (String name : names) {
          String inner = at + "/" + name;
          if (!wanted.has(name)) {
            found.add(inner + " is not documented: " + Json.text(member(got, name)));
          } else if (!got.has(name)) {
            found.add(inner + " is not answered");
          } else if (!isVarying(name, member(wanted, name), member(got, name))) {
            compare(inner, member(wanted, name), member(got, name), found);
          }
        }
      }
      case JsonArray wanted when answer instanceof JsonArray got && wanted.size() == got.size() -> {
        for (int i = 0; i < wanted.size(); i++) {
          compare(at + "/" + i, wanted.get(i), got.get(i), found);
        }
      }
      case JsonString wanted when answer instanceof JsonString got -> {
        if (!isSame(wanted.value(), got.value())) {
          found.add(at + " is documented as " + wanted.value() + " and is " + got.value());
        }
      }
      default -> {
        if (!example.equals(answer)) {
          found.add(
              at + " is documented as " + Json.text(example) + " and is " + Json.text(answer));
        }
      }
    }
  }

  private static JsonValue member(JsonObject object, String name) {
    return Objects.requireNonNull(object.get(name));
  }

  private static boolean isVarying(String name, JsonValue example, JsonValue answer) {
    return VARYING.contains(name) && example instanceof JsonNumber && answer instanceof JsonNumber;
  }

  private boolean isSame(String example, String answer) {
    if (example.equals(answer)) {
      return true;
    }
    for (String form : TIMES) {
      if (example.matches(form)) {
        return answer.matches(form);
      }
    }
    for (String form : SECRETS) {
      if (example.matches(form)) {
        return answer.matches(form)
            && (example.endsWith("…") || example.length() == answer.length());
      }
    }
    return isSameBesideNames(example, answer);
  }

  private boolean isSameBesideNames(String example, String answer) {
    var names = new ArrayList<String>();
    var form = new StringBuilder();
    Matcher name = NAME.matcher(example);
    int end = 0;
    while (name.find()) {
      form.append(Pattern.quote(example.substring(end, name.start())));
      form.append('(').append(form(name.group())).append(')');
      names.add(name.group());
      end = name.end();
    }
    form.append(Pattern.quote(example.substring(end)));
    Matcher match = Pattern.compile(form.toString()).matcher(answer);
    if (!match.matches()) {
      return false;
    }
    for (int i = 0; i < names.size(); i++) {
      String meant = live.putIfAbsent(names.get(i), match.group(i + 1));
      if (meant != null && !meant.equals(match.group(i + 1))) {
        return false;
      }
    }
    return true;
  }

  private static String form(String name) {
    return NAMED.stream().filter(name::matches).findFirst().orElseThrow();
  }
}
