package dev.safeconduct.identity;

/**
 * The caller and the source of a request.
 *
 * @param address the client's address
 * @param requestId the id of the request, as answered in {@code X-Request-Id}
 */
public record Origin(Caller caller, String address, String requestId) {}
