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
 *   <li>{@code //*}: the next word after one that begins with {@code //}
 *   <li>{@code #2}, {@code #last}, {@code #*}: an argument by its position; {@code #1/} its part
 *       after the slash, {@code #*=} after the equals sign, {@code #*@} between colon and {@code @}
 * </ul>
 *
 * @param position of an argument, {@link #LAST} or {@link #ALL}; 0 for an option
 * @param separator what precedes the secret in the value; 0 if all of it is secret
 */
record SecretOption(String name, int position, char separator, Next next) {
  /** Short options of unlisted programs that a password may follow, or a user and a password. */
  static final String SHORT_PASSWORDS = "pPwWk";

  static final String SHORT_USERS = "uU";

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
    boolean separated = ":%,=/@".indexOf(end) >= 0;
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

  /** Whether an option whose name says nothing of a secret has none, and takes none. */
  static boolean isIdleOption(String option) {
    String name = option.substring(dashes(option));
    return isSeparated(name)
        || (name.length() == 1
            ? SHORT_PASSWORDS.indexOf(name) < 0 && SHORT_USERS.indexOf(name) < 0
            : !isAttachedPassword(option));
  }

  /** {@code -pVALUE} with a random value. */
  static boolean isAttachedPassword(String option) {
    return dashes(option) == 1
        && option.length() > 2
        && "pP".indexOf(option.charAt(1)) >= 0
        && SecretFinder.isRandom(option.substring(2), 8);
  }

  static boolean isSeparated(String name) {
    return name.chars().anyMatch(c -> c == '=' || c == ':' || c == '/');
  }

  static int dashes(String option) {
    int dashes = 0;
    while (dashes < option.length() && "-/".indexOf(option.charAt(dashes)) >= 0) {
      dashes++;
    }
    return dashes;
  }

  /** Whether the word is the name, or begins with it up to its {@code *}. */
  static boolean matches(String name, String word) {
    return name.endsWith("*")
        ? word.regionMatches(true, 0, name, 0, name.length() - 1)
        : word.equalsIgnoreCase(name);
  }
}
