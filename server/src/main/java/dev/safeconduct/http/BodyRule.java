package dev.safeconduct.http;

/** The kind of body that a route accepts, and its maximum size in bytes. */
public enum BodyRule {
  /** No body; one that is sent is discarded. */
  NONE(0),
  /** JSON up to 1 MiB. */
  SMALL(1 << 20),
  /**
   * JSON up to 1 MiB by the OpenID AuthZEN transport rules. Another content type is a 400, because
   * its section 10.1.2 does not define 415. The request id may be any text and is returned
   * unchanged (10.1.3).
   */
  AUTHZEN(1 << 20),
  /** JSON up to 12 MiB; above 1 MiB it uses the shared in-flight budget. */
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
