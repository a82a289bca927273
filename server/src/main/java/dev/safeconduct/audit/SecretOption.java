package dev.safeconduct.audit;

/**
 * An option, keyword or position of a command whose value is a secret, as {@code secrets.json}
 * writes it.
 *
 * <ul>
 *   <li>{@code -p}, {@code --pass}, {@code auth}: the rest of the word, or the next word
 *   <li>{@code -p?}: the rest of the word, or a next word that looks random
 *   <li>{@code -k!}: the next word only
 *   <li>{@code -u:}: the part of the value after the colon; likewise with {@code %}, {@code ,},
 *       {@code =}
 *   <li>{@code /p:}: the rest of the word
 *   <li>{@code #2}, {@code #last}, {@code #*}: an argument by its position; {@code #1/} its part
 *       after the slash, {@code #*=} after the equals sign
 * </ul>
 *
 * @param position of an argument, {@link #LAST} or {@link #ALL}; 0 for an option
 * @param separator what precedes the secret in the value; 0 if all of it is secret
 */
record SecretOption(String name, int position, char separator, Next next) {
  static final int LAST = -1;
  static final int ALL = -2;

  /** Whether the word after the option is its value. */
  enum Next {
    ALWAYS,
    IF_RANDOM,
    ONLY
  }

  static SecretOption parse(String text) {
    char end = text.charAt(text.length() - 1);
    if (text.startsWith("/")) {
      return new SecretOption(text, 0, '\0', Next.ALWAYS);
    }
    boolean separated = ":%,=/".indexOf(end) >= 0;
    boolean modified = separated || end == '?' || end == '!';
    String name = modified ? text.substring(0, text.length() - 1) : text;
    char separator = separated ? end : '\0';
    if (name.startsWith("#")) {
      return switch (name) {
        case "#last" -> new SecretOption(name, LAST, separator, Next.ALWAYS);
        case "#*" -> new SecretOption(name, ALL, separator, Next.ALWAYS);
        default ->
            new SecretOption(name, Integer.parseInt(name.substring(1)), separator, Next.ALWAYS);
      };
    }
    return new SecretOption(
        name, 0, separator, end == '?' ? Next.IF_RANDOM : end == '!' ? Next.ONLY : Next.ALWAYS);
  }

  /** Whether the value may follow in the same word: {@code -pVALUE}. */
  boolean isShort() {
    return name.length() <= 3 && name.charAt(0) == '-' && name.charAt(1) != '-';
  }
}
