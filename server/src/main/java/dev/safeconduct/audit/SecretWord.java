package dev.safeconduct.audit;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A word of a text, with what is known of it alone. Texts repeat their words, so the last ones are
 * kept; looking one up creates nothing.
 *
 * @param lower in lower case
 * @param program without its folder, {@code .exe} and what Impacket adds, in lower case
 * @param commands those of the program; Java null if it is not listed
 * @param kind what it means as a name
 * @param idle whether a command of idle words has no secret
 */
record SecretWord(
    String text,
    String lower,
    String program,
    @Nullable List<SecretTable.Command> commands,
    SecretNames.Kind kind,
    boolean idle) {
  /** Longer words are not kept. */
  static final int LONG = 64;

  /** By hash, each in one of two places. Written by threads without order. */
  private static final @Nullable SecretWord[] KEPT = new SecretWord[4096];

  static SecretWord of(String text, int start, int end) {
    int hash = 0;
    for (int i = start; i < end; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    int place = (hash ^ (hash >>> 15)) & (KEPT.length - 1);
    SecretWord first = KEPT[place];
    if (first != null && first.is(text, start, end)) {
      return first;
    }
    SecretWord second = KEPT[place ^ 1];
    if (second != null && second.is(text, start, end)) {
      return second;
    }
    SecretWord word = read(text.substring(start, end));
    if (end - start <= LONG) {
      KEPT[place ^ 1] = first;
      KEPT[place] = word;
    }
    return word;
  }

  private boolean is(String other, int start, int end) {
    return text.length() == end - start && other.startsWith(text, start);
  }

  /** Whether it is the name of a program that takes secrets. */
  boolean takesSecrets() {
    return commands != null && commands.stream().anyMatch(command -> !command.options().isEmpty());
  }

  private static SecretWord read(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    int slash = Math.max(lower.lastIndexOf('/'), lower.lastIndexOf('\\'));
    String file = slash < 0 ? lower : lower.substring(slash + 1);
    String bare = file.startsWith("impacket-") ? file.substring("impacket-".length()) : file;
    boolean suffixed = bare.endsWith(".exe") || bare.endsWith(".py");
    String program = suffixed ? bare.substring(0, bare.lastIndexOf('.')) : bare;
    List<SecretTable.Command> commands =
        lower.startsWith("//") ? null : SecretTable.commands(program);
    SecretNames.Kind kind = SecretNames.read(text);
    boolean idle =
        isOption(text, commands)
            ? kind == SecretNames.Kind.NONE && SecretOption.isIdleOption(text)
            : commands == null
                ? kind == SecretNames.Kind.NONE && !lower.equals(CommandSecrets.IDENTIFIED)
                : commands.stream().allMatch(command -> command.options().isEmpty());
    return new SecretWord(text, lower, program, commands, kind, idle);
  }

  /** Whether it begins as options do, and is not a listed program with its folder. */
  boolean isOption() {
    return isOption(text, commands);
  }

  private static boolean isOption(String text, @Nullable List<SecretTable.Command> commands) {
    return text.startsWith("-") || (text.startsWith("/") && commands == null);
  }
}
