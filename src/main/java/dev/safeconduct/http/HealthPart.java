package dev.safeconduct.http;

import java.util.function.BooleanSupplier;

/**
 * A part without which the service cannot answer.
 *
 * @param name as {@code /readyz} shows it
 * @param works asked at every call: it must cost nothing
 */
public record HealthPart(String name, BooleanSupplier works) {}
