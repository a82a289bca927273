package dev.safeconduct.audit;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;

/**
 * Who asked for something, and from where.
 *
 * @param address the client's address
 * @param requestId the id of the request, as answered in {@code X-Request-Id}
 */
public record Origin(Caller caller, String address, String requestId) {
  /** What a record keeps of it, canonical: {@code address}, {@code caller}, {@code request_id}. */
  public byte[] details() {
    return CanonicalJson.bytes(
        JsonObject.builder()
            .put("address", address)
            .put("caller", caller.name())
            .put("request_id", requestId)
            .build());
  }
}
