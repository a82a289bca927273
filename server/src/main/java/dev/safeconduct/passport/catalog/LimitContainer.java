package dev.safeconduct.passport.catalog;

import java.util.Map;

/**
 * The part of a passport's limits that one pack reads.
 *
 * @param key its usual key in {@code limits}
 * @param fields the fields by name and alias
 * @param per the field of a context whose values may be members that contain the fields again;
 *     empty for none
 */
public record LimitContainer(String key, Map<String, Field> fields, String per) {
  /** Returns whether members may also be report types. */
  public boolean perType() {
    return !per.isEmpty();
  }
}
