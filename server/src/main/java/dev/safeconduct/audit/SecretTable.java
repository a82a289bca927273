package dev.safeconduct.audit;

import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is known of secrets: their names, their forms and the commands that take them. */
final class SecretTable {
  private static final JsonObject TABLE = ReleaseFile.read("secrets.json");

  /** Values that are secret under no name: replacing them everywhere would hide ordinary words. */
  static final Set<String> COMMON_VALUES = set(TABLE, "common_values");

  /** Words after which a name and its value follow. */
  static final Set<String> SETTERS = set(TABLE, "setters");

  /** Commands that write their arguments to a pipe. */
  static final Set<String> WRITERS = set(TABLE, "writers");

  /** Commands that read a secret from a pipe, as their words. */
  static final List<List<String>> READERS =
      list(TABLE, "readers").stream().map(words -> List.of(words.split(" "))).toList();

  /** Token forms by their first character, an ASCII one. */
  private static final TokenForm[][] FORMS = forms();

  private static final Map<String, List<Command>> COMMANDS = commands();

  private SecretTable() {}

  /** A form of token: a prefix with at least so many characters after it. */
  record TokenForm(String prefix, int length) {}

  /**
   * A command that takes secrets.
   *
   * @param further the words that must follow the program's name
   */
  record Command(List<String> further, List<SecretOption> options) {}

  static JsonObject names() {
    return TABLE.object("names").orElseThrow();
  }

  static TokenForm[] forms(char first) {
    return FORMS[first];
  }

  /** Returns the commands of a program; Java null if the program is not listed. */
  static @Nullable List<Command> commands(String program) {
    return COMMANDS.get(program);
  }

  static List<String> list(JsonObject from, String name) {
    return from.array(name).orElseThrow().texts();
  }

  static Set<String> set(JsonObject from, String name) {
    return Set.copyOf(list(from, name));
  }

  private static TokenForm[][] forms() {
    var forms = new TokenForm[128][0];
    for (var each : TABLE.array("token_forms").orElseThrow()) {
      var form = (JsonArray) each;
      String prefix = ((JsonString) form.get(0)).value();
      int length = (int) ((JsonNumber) form.get(1)).value();
      TokenForm[] before = forms[prefix.charAt(0)];
      TokenForm[] with = Arrays.copyOf(before, before.length + 1);
      with[before.length] = new TokenForm(prefix, length);
      forms[prefix.charAt(0)] = with;
    }
    return forms;
  }

  private static Map<String, List<Command>> commands() {
    var commands = new HashMap<String, List<Command>>();
    TABLE
        .object("commands")
        .orElseThrow()
        .forEach((words, options) -> {
          List<String> all = List.of(words.split(" "));
          commands
              .computeIfAbsent(all.getFirst(), _ -> new ArrayList<>())
              .add(
                  new Command(
                      all.subList(1, all.size()),
                      List.of(((JsonString) options).value().split(" ")).stream()
                          .filter(option -> !option.isEmpty())
                          .map(SecretOption::parse)
                          .toList()));
        });
    return commands;
  }
}
