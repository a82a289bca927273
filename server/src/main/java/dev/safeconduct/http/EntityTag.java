package dev.safeconduct.http;

import java.util.Arrays;

/** The version of a resource's representation (RFC 9110 section 8.8.3), always a strong one. */
public record EntityTag(String opaque) {
  public static EntityTag of(long revision) {
    return new EntityTag(Long.toString(revision));
  }

  /** Returns the value of the {@code ETag} header. */
  public String header() {
    return '"' + opaque + '"';
  }

  /** Returns whether an {@code If-Match} header permits a change of this version. */
  public boolean satisfiesIfMatch(String header) {
    return names(header, false);
  }

  /** Returns whether an {@code If-None-Match} header says that the caller has this version. */
  public boolean satisfiesIfNoneMatch(String header) {
    return names(header, true);
  }

  private boolean names(String header, boolean weakly) {
    String list = header.strip();
    if (list.equals("*")) {
      return true;
    }
    return Arrays.stream(list.split(",", -1))
        .map(String::strip)
        .map(tag -> weakly && tag.startsWith("W/") ? tag.substring(2) : tag)
        .anyMatch(header()::equals);
  }
}
