package dev.safeconduct.decision.code;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.function.IntPredicate;

/** What a release is called, and that its artifact is signed. */
final class ReleaseRules {
  private static final String ALGORITHM = "sha256:";
  private static final int SHA_256_DIGITS = 64;

  private ReleaseRules() {}

  static Verdict version(Facts facts) {
    String version = facts.context().string("version").orElse("");
    return isVersion(version)
        ? Verdict.pass()
        : Verdict.fail(
            "The version "
                + Excerpt.of(version)
                + " is not of the form 1.2.3, 1.2.3-rc.1 or 1.2.3+build.5.");
  }

  static Verdict signature(Facts facts) {
    if (!facts.limits().demands("require_signed_artifacts")) {
      return Verdict.pass();
    }
    String digest = facts.context().string("artifact_sha").orElse("");
    if (digest.startsWith(ALGORITHM)) {
      digest = digest.substring(ALGORITHM.length());
    }
    if (digest.length() != SHA_256_DIGITS
        || run(digest, 0, ReleaseRules::isHexDigit) != digest.length()) {
      return Verdict.fail("artifact_sha must be the SHA-256 of the artifact, 64 hex digits.");
    }
    return Folding.fold(facts.context().string("signer").orElse("")).isEmpty()
        ? Verdict.fail("A signer is required.")
        : Verdict.pass();
  }

  /** Three numbers between dots, then perhaps {@code -} and {@code +}, each with what it names. */
  static boolean isVersion(String text) {
    int at = 0;
    for (int number = 0; number < 3; number++) {
      int start = number == 0 ? at : at + 1;
      if (number > 0 && (at >= text.length() || text.charAt(at) != '.')) {
        return false;
      }
      at = run(text, start, ReleaseRules::isDigit);
      if (at == start) {
        return false;
      }
    }
    at = labelled(text, at, '-');
    at = at < 0 ? at : labelled(text, at, '+');
    return at == text.length();
  }

  /** Where a label with this sign ends; the same place without one; -1 when the label is empty. */
  private static int labelled(String text, int at, char sign) {
    if (at >= text.length() || text.charAt(at) != sign) {
      return at;
    }
    int end = run(text, at + 1, ReleaseRules::isLabelCharacter);
    return end == at + 1 ? -1 : end;
  }

  private static int run(String text, int start, IntPredicate allowed) {
    int at = start;
    while (at < text.length() && allowed.test(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isHexDigit(int c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  private static boolean isLabelCharacter(int c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
  }
}
