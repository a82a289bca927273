package dev.safeconduct.decision.url;

/** A host name: lower case, without a trailing dot. */
record HostName(String text) implements Host {
  /** Whether this is a name below the other one. */
  boolean isBelow(HostName other) {
    int split = text.length() - other.text.length() - 1;
    return split > 0 && text.charAt(split) == '.' && text.endsWith(other.text);
  }
}
