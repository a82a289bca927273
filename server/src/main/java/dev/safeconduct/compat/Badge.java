package dev.safeconduct.compat;

import dev.safeconduct.identity.PassportStatus;

/** An image of a passport's status for README files. It contains no text from the owner. */
final class Badge {
  private Badge() {}

  static String of(PassportStatus status, boolean expired, String level) {
    boolean over = expired && status == PassportStatus.ACTIVE;
    String says = (over ? "expired" : status.wire()) + " " + level;
    String whole = "agent passport: " + says;
    int right = 16 + 7 * says.length();
    return """
    <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s">\
    <title>%s</title>\
    <rect width="%d" height="20" rx="3" fill="#3a3f47"/>\
    <rect x="98" width="%d" height="20" rx="3" fill="%s"/>\
    <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\
    <text x="8" y="14">agent passport</text><text x="106" y="14">%s</text></g></svg>
    """
        .formatted(
            98 + right, whole, whole, 98 + right, right, over ? "#9a6700" : color(status), says);
  }

  /** White text on each of them has a contrast of 4.5 and more (WCAG 2.2, 1.4.3). */
  private static String color(PassportStatus status) {
    return switch (status) {
      case ACTIVE -> "#1a7f37";
      case DRAFT -> "#57606a";
      case SUSPENDED -> "#9a6700";
      case REVOKED -> "#cf222e";
    };
  }
}
