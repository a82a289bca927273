package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.function.IntPredicate;

/** Rules for the version of a release and the signature of its artifact. */
final class ReleaseRules {
  private static final String ALGORITHM = "sha256:";
  private static final int SHA_256_DIGITS = 64;

  private ReleaseRules() {}

  static RuleResult version(Facts facts) {
    String version = facts.context().text("version");
    return isVersion(version)
        ? RuleResult.pass()
        : RuleResult.fail(
            "The version "
                + Excerpt.of(version)
                + " is not of the form 1.2.3, 1.2.3-rc.1 or 1.2.3+build.5.");
  }

  static RuleResult signature(Facts facts) {
    if (!facts.limits().demands("require_signed_artifacts")) {
      return RuleResult.pass();
    }
    String digest = facts.context().text("artifact_sha");
    if (digest.startsWith(ALGORITHM)) {
      digest = digest.substring(ALGORITHM.length());
    }
    if (digest.length() != SHA_256_DIGITS
        || run(digest, 0, ReleaseRules::isHexDigit) != digest.length()) {
      return RuleResult.fail("artifact_sha must be the SHA-256 of the artifact, 64 hex digits.");
    }
    return Folding.isInvisible(facts.context().text("signer"))
        ? RuleResult.fail("A signer is required.")
        : RuleResult.pass();
  }

  /** Whether the text is three dotted numbers with an optional {@code -} and {@code +} label. */
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

  /** Returns the end of a label with this sign, {@code at} without one, or -1 if it is empty. */
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
