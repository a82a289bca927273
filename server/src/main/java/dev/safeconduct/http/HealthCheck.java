package dev.safeconduct.http;

import java.util.function.BooleanSupplier;

/**
 * A component that the service needs in order to answer.
 *
 * @param name its name in the response of {@code /readyz}
 * @param works called for every request of {@code /readyz}; it must be cheap
 */
public record HealthCheck(String name, BooleanSupplier works) {}
