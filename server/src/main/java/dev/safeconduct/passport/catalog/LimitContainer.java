package dev.safeconduct.passport.catalog;

import java.util.Map;

/**
 * The part of a passport's limits that one pack reads.
 *
 * @param key its usual key in {@code limits}
 * @param fields the fields by name and alias
 * @param perType whether members may also be report types that contain the fields again
 */
public record LimitContainer(String key, Map<String, Field> fields, boolean perType) {}
