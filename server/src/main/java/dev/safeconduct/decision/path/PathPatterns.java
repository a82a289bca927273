package dev.safeconduct.decision.path;

import java.util.ArrayList;
import java.util.List;

/** A path list, read once (validators sections 2.3 and 2.4). */
public final class PathPatterns {
  private final List<PathPattern> patterns;
  private final boolean anyCase;

  private PathPatterns(List<PathPattern> patterns, boolean anyCase) {
    this.patterns = patterns;
    this.anyCase = anyCase;
  }

  /** Returns a case-sensitive list. */
  public static PathPatterns allowList(List<String> entries) {
    var patterns = new ArrayList<PathPattern>(entries.size());
    for (String entry : entries) {
      patterns.add(PathPattern.of(entry));
    }
    return new PathPatterns(patterns, false);
  }

  /** Returns a case-insensitive list. */
  public static PathPatterns blockList(List<String> entries) {
    var patterns = new ArrayList<PathPattern>(entries.size());
    for (String entry : entries) {
      patterns.add(PathPattern.prepared(CaseFold.lower(PathPattern.prepare(entry))));
    }
    return new PathPatterns(patterns, true);
  }

  /** Whether some entry matches the path, which must be normalised. */
  public boolean match(String normalisedPath) {
    if (patterns.isEmpty()) {
      return false;
    }
    String path = anyCase ? CaseFold.lower(normalisedPath) : normalisedPath;
    for (PathPattern pattern : patterns) {
      if (pattern.matches(path)) {
        return true;
      }
    }
    return false;
  }

  /** Whether every form of the path text matches, as an allow-list requires. */
  public boolean matchEveryForm(String text) {
    for (String form : PathForms.normalised(text)) {
      if (!match(form)) {
        return false;
      }
    }
    return true;
  }
}
