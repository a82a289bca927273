package dev.safeconduct.decision.path;

import dev.safeconduct.text.Folding;

/** One entry of a path list (validators section 2.3), parsed once and matched many times. */
sealed interface PathPattern {
  /** Whether the normalised path matches. The path needs the same case folding as the entry. */
  boolean matches(String path);

  /** An empty entry. */
  record Never() implements PathPattern {
    @Override
    public boolean matches(String path) {
      return false;
    }
  }

  record Everything() implements PathPattern {
    @Override
    public boolean matches(String path) {
      return true;
    }
  }

  record EveryAbsolute() implements PathPattern {
    @Override
    public boolean matches(String path) {
      return LexicalPath.isAbsolute(path);
    }
  }

  /** Every relative path that stays below its starting directory. */
  record EveryRelative() implements PathPattern {
    @Override
    public boolean matches(String path) {
      return !LexicalPath.isAbsolute(path) && !path.startsWith("..") && !path.startsWith("~");
    }
  }

  record Tree(String directory) implements PathPattern {
    @Override
    public boolean matches(String path) {
      return LexicalPath.isWithin(path, directory);
    }
  }

  record LastPart(Glob glob) implements PathPattern {
    @Override
    public boolean matches(String path) {
      return glob.matches(path.substring(path.lastIndexOf('/') + 1));
    }
  }

  record WholePath(Glob glob) implements PathPattern {
    @Override
    public boolean matches(String path) {
      return glob.matches(path);
    }
  }

  /** Directory trees whose root matches a glob. */
  record GlobTree(Glob glob) implements PathPattern {
    @Override
    public boolean matches(String path) {
      return glob.matches(path);
    }
  }

  /** Parses an entry of a list. */
  static PathPattern of(String entry) {
    return prepared(prepare(entry));
  }

  /** Parses an entry that {@link #prepare} has returned. */
  static PathPattern prepared(String entry) {
    if (entry.isEmpty()) {
      return new Never();
    }
    if (entry.equals("*")) {
      return new Everything();
    }
    if (entry.endsWith("/*") || entry.endsWith("/**")) {
      String directory = entry.substring(0, entry.lastIndexOf('/'));
      if (directory.isEmpty()) {
        return new EveryAbsolute();
      }
      return isWild(directory) ? new GlobTree(Glob.tree(directory)) : literal(directory);
    }
    if (isWild(entry)) {
      Glob glob = Glob.exactly(entry);
      return entry.indexOf('/') < 0 ? new LastPart(glob) : new WholePath(glob);
    }
    return literal(entry);
  }

  static boolean isWild(String entry) {
    return entry.indexOf('*') >= 0 || entry.indexOf('?') >= 0;
  }

  /** Prepares a plain text entry: NFKC, trimmed, slashes forward, lower case. */
  static String prepareText(String entry) {
    return CaseFold.lower(Folding.trim(Folding.nfkc(entry)).replace('\\', '/'));
  }

  /** Prepares an entry: NFKC, trimmed, slashes forward and single, no leading {@code ./}. */
  static String prepare(String entry) {
    String text = Folding.trim(Folding.nfkc(entry)).replace('\\', '/');
    if (text.contains("//")) {
      text = singleSlashes(text);
    }
    int start = 0;
    while (text.startsWith("./", start) && dropsHere(text, start + 2)) {
      start += 2;
    }
    return text.substring(start);
  }

  /**
   * Whether to drop a leading {@code ./}. {@code ./x} means {@code x}, but {@code ./*} means "below
   * the current directory", which differs from {@code *}.
   */
  private static boolean dropsHere(String text, int rest) {
    int length = text.length() - rest;
    return length > 0
        && !(length == 1 && text.endsWith("*"))
        && !(length == 2 && text.endsWith("**"));
  }

  private static PathPattern literal(String text) {
    String path = LexicalPath.normalise(text);
    return switch (path) {
      case "/" -> new EveryAbsolute();
      case "." -> new EveryRelative();
      default -> new Tree(path);
    };
  }

  private static String singleSlashes(String text) {
    var single = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '/' || i == 0 || text.charAt(i - 1) != '/') {
        single.append(c);
      }
    }
    return single.toString();
  }
}
