package dev.safeconduct.decision.path;

import dev.safeconduct.text.SubstringSet;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fixed block-list, prepared for many lookups. A pattern is tried only if the path contains the
 * longest plain text of the pattern.
 */
public final class PathSet {
  private final SubstringSet needles;
  private final BitGlob[] globs;

  private PathSet(SubstringSet needles, BitGlob[] globs) {
    this.needles = needles;
    this.globs = globs;
  }

  /** Reads patterns with a part that is plain text; case does not count. */
  static PathSet of(List<String> patterns) {
    List<String> prepared =
        patterns.stream().map(PathPattern::prepare).map(CaseFold::lower).toList();
    return new PathSet(
        new SubstringSet(prepared.stream().map(PathSet::longestPlain).toList()),
        prepared.stream().map(PathSet::glob).toArray(BitGlob[]::new));
  }

  /** Whether the normalised path hits some pattern. */
  public boolean hits(String normalisedPath) {
    String path = CaseFold.lower(normalisedPath);
    BitSet likely = needles.in(path);
    if (likely == null) {
      return false;
    }
    for (int i = likely.nextSetBit(0); i >= 0; i = likely.nextSetBit(i + 1)) {
      if (globs[i].matches(path)) {
        return true;
      }
    }
    return false;
  }

  /** Returns a view of the set for paths below a normalised absolute directory with a slash. */
  public Within within(String directory) {
    return new Within(CaseFold.lower(directory));
  }

  /** Checks paths below one directory without reading the directory's name each time. */
  public final class Within {
    private final String prefix;

    /** The patterns whose plain text occurs in the directory's name, which has whole parts. */
    private final @Nullable BitSet suspects;

    private Within(String prefix) {
      this.prefix = prefix;
      suspects = needles.in(prefix);
    }

    /** Whether the path hits that consists of the directory and this normalised descending rest. */
    public boolean hits(String rest) {
      BitSet likely = needles.in(CaseFold.lower(rest));
      return (likely != null || suspects != null) && PathSet.this.hits(prefix + rest);
    }
  }

  /** Returns the pattern as an automaton, even if a list treats it as a plain directory. */
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
