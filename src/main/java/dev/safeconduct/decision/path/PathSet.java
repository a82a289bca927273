package dev.safeconduct.decision.path;

import java.util.List;

/**
 * A fixed block-list, prepared for looking at very many paths: each pattern is tried only where the
 * longest plain text in it occurs.
 */
public final class PathSet {
  private final String[] needles;
  private final BitGlob[] globs;

  private PathSet(String[] needles, BitGlob[] globs) {
    this.needles = needles;
    this.globs = globs;
  }

  /** Reads patterns with a part that is plain text; case does not count. */
  static PathSet of(List<String> patterns) {
    String[] needles = new String[patterns.size()];
    BitGlob[] globs = new BitGlob[patterns.size()];
    for (int i = 0; i < globs.length; i++) {
      String pattern = Letters.lower(PathPattern.prepare(patterns.get(i)));
      needles[i] = longestPlain(pattern);
      globs[i] = glob(pattern);
    }
    return new PathSet(needles, globs);
  }

  /** Whether the normalised path hits some pattern. */
  public boolean hits(String normalisedPath) {
    String path = Letters.lower(normalisedPath);
    for (int i = 0; i < globs.length; i++) {
      if (path.contains(needles[i]) && globs[i].matches(path)) {
        return true;
      }
    }
    return false;
  }

  /** The set as it looks from within a normalised absolute directory. */
  public Within within(String directory) {
    return new Within(Letters.lower(directory));
  }

  /** Looks at paths below one directory without walking through the directory's name each time. */
  public final class Within {
    private final String prefix;
    private final boolean directoryHits;
    private final boolean[] suspect = new boolean[globs.length];
    private final boolean[] walked = new boolean[globs.length];
    private final long[] states = new long[globs.length];

    private Within(String directory) {
      prefix = directory.endsWith("/") ? directory : directory + "/";
      directoryHits = hits(directory);
      for (int i = 0; i < suspect.length; i++) {
        suspect[i] = prefix.contains(needles[i]);
      }
    }

    /** Whether the directory itself hits. */
    public boolean hitsDirectory() {
      return directoryHits;
    }

    /** Whether the path hits that this rest, normalised and going down only, leads to. */
    public boolean hitsBelow(String rest) {
      String below = Letters.lower(rest);
      for (int i = 0; i < globs.length; i++) {
        if ((suspect[i] || below.contains(needles[i]))
            && globs[i].accepts(globs[i].feed(state(i), below))) {
          return true;
        }
      }
      return false;
    }

    private long state(int i) {
      if (!walked[i]) {
        walked[i] = true;
        states[i] = globs[i].feed(globs[i].start(), prefix);
      }
      return states[i];
    }
  }

  /** The pattern as an automaton, also where a list would take it for a plain directory. */
  private static BitGlob glob(String pattern) {
    boolean tree = pattern.endsWith("/**") || !PathPattern.isWild(pattern);
    String path = pattern.endsWith("/**") ? pattern.substring(0, pattern.length() - 3) : pattern;
    return new BitGlob(GlobTokens.of(path), tree);
  }

  private static String longestPlain(String pattern) {
    String longest = "";
    for (String plain : pattern.split("[/*?]+", -1)) {
      if (plain.length() > longest.length()) {
        longest = plain;
      }
    }
    return longest;
  }
}
