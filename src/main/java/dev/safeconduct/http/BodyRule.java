package dev.safeconduct.http;

/** What a route takes as a body, and how much of it (bytes). */
public enum BodyRule {
  /** None; one that is sent is thrown away. */
  NONE(0),
  /** JSON up to 1 MiB. */
  SMALL(1 << 20),
  /**
   * JSON up to 1 MiB as OpenID AuthZEN transports it: another content type is a 400 (its section
   * 10.1.2 knows no 415), and the request id is any text and comes back as it was sent (10.1.3).
   */
  AUTHZEN(1 << 20),
  /** JSON up to 12 MiB; above 1 MiB it takes room in the shared in-flight budget. */
  LARGE(12 << 20),
  /** An HTML form, {@code application/x-www-form-urlencoded}, up to 64 KiB. */
  FORM(64 << 10);

  private final int maxBytes;

  BodyRule(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  int maxBytes() {
    return maxBytes;
  }
}
