package dev.safeconduct.audit;

import dev.safeconduct.audit.SecretFinder.Span;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.schema.ContextSchema;
import dev.safeconduct.policy.schema.SchemaNode;
import dev.safeconduct.text.Excerpt;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The context of one decision without secrets and without members that the pack does not declare.
 * It first looks for secrets in all of the context, and then removes each of them everywhere, in
 * messages and traces too.
 */
public final class RedactedContext {
  /** No text is stored in full above this many characters. */
  private static final int LONG_TEXT = 16 * 1024;

  /** How many characters are searched; longer contexts are not recorded in full anyway. */
  private static final int MOST_SEARCHED = 4 * Redaction.LONG_OBJECT;

  private static final int MOST_UNDECLARED = 32;
  private static final int DEEPEST_UNDECLARED = 3;
  private static final int LONG_NAME = 64;
  private static final Set<String> CONTENT_NAMES =
      Set.of("content", "output_content", "output", "body", "stdout", "stderr", "data", "value");
  private static final Set<String> ARGUMENTS =
      Set.of("args", "argv", "arguments", "parameters", "params", "options");
  private static final List<String> COMMANDS =
      List.of("command", "cmd", "program", "executable", "binary", "file", "tool", "exec");
  private static final List<String> NAMING =
      List.of("name", "key", "header", "field", "variable", "parameter", "selector");

  private final Redaction redaction;
  private final FoundSecrets secrets;
  private final JsonObject asked;
  private final SecretFinder finder = new SecretFinder();

  /** By identity; empty, and no such map, in most contexts. */
  private Map<JsonString, List<Span>> places = Map.of();

  private JsonObject shown;
  private int searched;
  private int undeclared;

  /** Whether further values come, of passports and packs, that were not searched. */
  private boolean done;

  private RedactedContext(JsonObject asked, Redaction redaction) {
    this.asked = asked;
    this.shown = asked;
    this.redaction = redaction;
    this.secrets = new FoundSecrets(redaction);
  }

  static RedactedContext of(JsonObject context, ContextSchema schema, Redaction redaction) {
    var redacted = new RedactedContext(context, redaction);
    redacted.searchMembers(context, schema.sent(), false);
    redacted.searched = 0;
    redacted.shown = redacted.members(context, schema.sent(), false);
    redacted.searched = 0;
    redacted.done = true;
    return redacted;
  }

  /** Returns the context as it was evaluated. */
  public JsonObject asked() {
    return asked;
  }

  /** Returns the context as it may be recorded; the same object if nothing is taken out. */
  public JsonObject shown() {
    return shown;
  }

  /** Returns a text without the secrets of the context, and without its own. */
  public String text(String text) {
    return secrets.remove(text, finder.find(text));
  }

  /** Returns an object, of a passport or a pack, without secrets. */
  public JsonObject object(JsonObject object) {
    return members(object, SchemaNode.ANY, false);
  }

  /** Returns the value of a member, of a passport or a pack, without secrets. */
  public JsonValue member(String name, JsonValue value) {
    return value(name, value, SchemaNode.ANY, isSecret(name, SchemaNode.ANY, false));
  }

  /** Whether the pack says that the member is a secret, or else its name. */
  private static boolean isSecret(String name, @Nullable SchemaNode node, boolean inherited) {
    if (node != null && node.secret().isPresent()) {
      return node.secret().get();
    }
    return inherited || SecretNames.isSecret(name);
  }

  // The search.

  private void searchMembers(JsonObject object, @Nullable SchemaNode schema, boolean secret) {
    boolean named = isNamedSecret(object);
    object.forEach((name, value) -> {
      SchemaNode node = schema == null ? null : schema.member(name);
      boolean own = isSecret(name, node, secret || (named && name.equals("value")));
      if (!own && ARGUMENTS.contains(name)) {
        searchArguments(object, value);
      }
      search(name, value, node, own);
    });
  }

  /** Whether the object names a secret whose value is in its member {@code value}. */
  private static boolean isNamedSecret(JsonObject object) {
    return object.has("value")
        && NAMING.stream()
            .anyMatch(name -> object.string(name).filter(SecretNames::isSecret).isPresent());
  }

  private void search(String name, JsonValue value, @Nullable SchemaNode node, boolean secret) {
    switch (value) {
      case JsonObject object -> searchMembers(object, node, secret);
      case JsonArray array -> {
        if (!secret) {
          searchWords("", array);
        }
        for (JsonValue element : array) {
          search(name, element, node == null ? null : node.element(), secret);
        }
      }
      case JsonString text -> searchText(name, text, node, secret);
      case JsonNumber _, JsonOverflow _ -> {
        if (secret) {
          secrets.addNamed(Json.text(value));
        }
      }
      default -> {}
    }
  }

  private void searchText(
      String name, JsonString string, @Nullable SchemaNode node, boolean secret) {
    String text = string.value();
    searched += text.length();
    if (searched > MOST_SEARCHED || text.length() > LONG_TEXT) {
      return;
    }
    if (secret) {
      if (!SecretFinder.isFolder(name) || !SecretFinder.isPath(text)) {
        secrets.addNamed(text);
      }
      return;
    }
    if (AgentId.isCanonical(text)) {
      return; // no secret has this form, and most requests have another one
    }
    boolean plain = node != null && node.secret().isPresent();
    found(string, plain ? finder.forms(text) : finder.find(text));
  }

  private void found(JsonString string, List<Span> spans) {
    if (!spans.isEmpty()) {
      secrets.addAll(string.value(), spans);
      places = places.isEmpty() ? new IdentityHashMap<>() : places;
      places.computeIfAbsent(string, _ -> new ArrayList<>(2)).addAll(spans);
    }
  }

  /** Arguments may hold what the command beside them takes as a secret. */
  private void searchArguments(JsonObject object, JsonValue arguments) {
    for (String name : COMMANDS) {
      if (object.get(name) instanceof JsonString(String command)) {
        if (arguments instanceof JsonArray array) {
          searchWords(command, array);
        } else if (arguments instanceof JsonString string) {
          String all = command + " " + string.value();
          if (all.length() <= LONG_TEXT) {
            found(string, within(finder.find(all), command.length() + 1, all.length()));
          }
        }
        return;
      }
    }
  }

  private void searchWords(String command, JsonArray words) {
    var all = new StringBuilder(command);
    for (JsonValue word : words) {
      if (word instanceof JsonString(String text)) {
        all.append(SecretFinder.BETWEEN).append(text);
      }
    }
    searched += all.length();
    if (all.length() > LONG_TEXT || searched > MOST_SEARCHED || all.length() == command.length()) {
      return;
    }
    List<Span> spans = finder.find(all.toString(), command.length());
    int start = command.length();
    for (JsonValue word : words) {
      if (!spans.isEmpty() && word instanceof JsonString string) {
        int end = start + 1 + string.value().length();
        found(string, within(spans, start + 1, end));
        start = end;
      }
    }
  }

  private static List<Span> within(List<Span> spans, int from, int to) {
    return spans.stream()
        .filter(span -> span.start() < to && span.end() > from)
        .map(span -> new Span(Math.max(span.start(), from) - from, Math.min(span.end(), to) - from))
        .toList();
  }

  // What is shown.

  @SuppressWarnings("ReferenceEquality") // identity means that nothing was replaced
  private JsonObject members(JsonObject object, SchemaNode schema, boolean secret) {
    boolean named = isNamedSecret(object);
    JsonObject.@Nullable Builder result = null;
    JsonObject.@Nullable Builder rest = null;
    int place = 0;
    for (String name : object.names()) {
      JsonValue value = object.get(name);
      if (value == null) {
        continue;
      }
      SchemaNode node = schema.member(name);
      String shownName = name;
      JsonValue shownValue = value;
      if (node != null) {
        shownName = schema.properties().containsKey(name) ? name : name(name);
        boolean inherited = secret || (named && name.equals("value"));
        shownValue = value(name, value, node, isSecret(name, node, inherited));
      } else if (undeclared < MOST_UNDECLARED) {
        shownName = undeclaredName(name);
        shownValue = undeclared(value, 1);
      } else {
        result = result == null ? first(object, place) : result;
        rest = rest == null ? JsonObject.builder() : rest;
        rest.put(name, value);
        continue;
      }
      if (result == null && (shownValue != value || !shownName.equals(name))) {
        result = first(object, place);
      }
      if (result != null) {
        result.put(shownName, shownValue);
      }
      place++;
    }
    if (rest != null && result != null) {
      JsonObject more = rest.build();
      String text = Json.text(more);
      result.put(
          Redaction.UNDECLARED,
          Redaction.MARK
              + redaction.hash(text)
              + " members:"
              + more.size()
              + " length:"
              + text.length()
              + "]");
    }
    return result == null ? object : result.build();
  }

  private static JsonObject.Builder first(JsonObject object, int count) {
    JsonObject.Builder first = JsonObject.builder();
    int place = 0;
    for (String name : object.names()) {
      JsonValue value = object.get(name);
      if (place++ == count || value == null) {
        break;
      }
      first.put(name, value);
    }
    return first;
  }

  /** Names come from the caller as values do. */
  private String name(String name) {
    return secrets.isEmpty() && name.length() < 8 ? name : text(name);
  }

  private String undeclaredName(String name) {
    String shownName = text(name);
    if (!shownName.equals(name) || isGenerated(name)) {
      return redaction.mark(name);
    }
    return name.length() <= LONG_NAME
        ? name
        : Excerpt.start(name, LONG_NAME / 2) + "…" + redaction.hash(name).substring(0, 16);
  }

  /** Whether the name looks like a generated password or token. */
  private static boolean isGenerated(String name) {
    int changes = 0;
    for (int i = 1; i < name.length(); i++) {
      boolean digit = Character.isDigit(name.charAt(i));
      changes += digit != Character.isDigit(name.charAt(i - 1)) ? 1 : 0;
    }
    return name.length() >= 8
        && SecretFinder.isRandom(name, 8)
        && (changes > 2 || name.length() > 24)
        && name.indexOf('_') < 0
        && name.indexOf('-') < 0;
  }

  /** An undeclared value: its type, length and hash; of an object those of its members. */
  private JsonValue undeclared(JsonValue value, int depth) {
    undeclared++;
    if (!(value instanceof JsonObject object)
        || object.isEmpty()
        || depth >= DEEPEST_UNDECLARED
        || undeclared + object.size() > MOST_UNDECLARED) {
      return redaction.undeclared(value);
    }
    JsonObject.Builder result = JsonObject.builder();
    object.forEach((name, inner) -> result.put(undeclaredName(name), undeclared(inner, depth + 1)));
    return result.build();
  }

  @SuppressWarnings("ReferenceEquality") // identity means that nothing was replaced
  private JsonValue value(String name, JsonValue value, SchemaNode node, boolean secret) {
    return switch (value) {
      case JsonObject object -> members(object, node, secret);
      case JsonArray array -> {
        var elements = new ArrayList<JsonValue>(array.size());
        boolean changed = false;
        SchemaNode items = node.element();
        for (JsonValue element : array) {
          if (searched > MOST_SEARCHED) {
            // One mark for the rest: a mark for each element would cost more than the decision.
            List<JsonValue> rest = array.elements().subList(elements.size(), array.size());
            elements.add(redaction.undeclared(new JsonArray(rest)));
            yield new JsonArray(elements);
          }
          JsonValue shownElement =
              items == null
                  ? undeclared(element, DEEPEST_UNDECLARED)
                  : value(name, element, items, secret);
          changed |= shownElement != element;
          elements.add(shownElement);
        }
        yield changed ? new JsonArray(elements) : array;
      }
      case JsonString string -> string(name, string, secret);
      case JsonNumber _, JsonOverflow _ -> number(value, secret);
      default -> value;
    };
  }

  private JsonValue number(JsonValue number, boolean secret) {
    if (!secret && secrets.isEmpty()) {
      double value = number instanceof JsonNumber(double n, _) ? n : 0;
      if (value < 1e13 || value >= 1e19) {
        return number;
      }
    }
    String text = Json.text(number);
    if (secret) {
      return new JsonString(redaction.mark(text));
    }
    return text.length() >= 6 && !text(text).equals(text)
        ? new JsonString(redaction.mark(text))
        : number;
  }

  private JsonValue string(String name, JsonString string, boolean secret) {
    String text = string.value();
    searched += text.length();
    if (secret) {
      return SecretFinder.isFolder(name) && SecretFinder.isPath(text)
          ? string
          : new JsonString(redaction.mark(text));
    }
    boolean content = text.length() > Redaction.LONG_CONTENT && CONTENT_NAMES.contains(name);
    if (content || text.length() > LONG_TEXT || searched > MOST_SEARCHED) {
      return new JsonString(redaction.mark(text));
    }
    List<Span> own = done ? finder.find(text) : places.getOrDefault(string, List.of());
    String shownText = secrets.remove(text, own);
    return shownText.equals(text) ? string : new JsonString(shownText);
  }
}
