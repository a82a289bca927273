package dev.safeconduct.passport;

import java.util.Arrays;

/** The version of what an address answers (RFC 9110 section 8.8.3), always a strong one. */
record EntityTag(String opaque) {
  static EntityTag of(Passport passport) {
    return new EntityTag(Long.toString(passport.revision()));
  }

  /** As it stands in the {@code ETag} header. */
  String header() {
    return '"' + opaque + '"';
  }

  /** Whether an {@code If-Match} header lets a change of this version through. */
  boolean satisfiesIfMatch(String header) {
    return names(header, false);
  }

  /** Whether an {@code If-None-Match} header says the caller has this version already. */
  boolean satisfiesIfNoneMatch(String header) {
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
