package dev.safeconduct.passport;

import java.util.Map;

/**
 * The block of a passport's limits that one pack reads.
 *
 * @param key its usual place in {@code limits}
 * @param fields by name and alias
 * @param perType whether members may also be report types that hold the fields anew
 */
record LimitContainer(String key, Map<String, Field> fields, boolean perType) {}
