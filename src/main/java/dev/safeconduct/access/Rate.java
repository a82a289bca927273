package dev.safeconduct.access;

import java.time.Duration;

/**
 * How often something may be done.
 *
 * @param name of what is limited; keys of different names do not meet
 * @param times how often at once and within {@code per}; 0 for no limit
 */
public record Rate(String name, int times, Duration per) {}
