package dev.safeconduct.client;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The service refused a request. */
public final class ApiException extends SafeconductException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final String detail;
  private final @Nullable String field;
  private final @Nullable String requestId;

  ApiException(int status, Map<String, @Nullable Object> body) {
    this(
        status,
        first(body, "http_" + status, "code"),
        first(body, "The service refused the request.", "message", "detail"),
        body);
  }

  private ApiException(int status, String code, String detail, Map<String, @Nullable Object> body) {
    super(code + " (" + status + "): " + detail);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.field = body.get("field") instanceof String text ? text : null;
    this.requestId = body.get("request_id") instanceof String text ? text : null;
  }

  /** Reads the body of a refusal. */
  static ApiException of(int status, @Nullable Object answer) {
    Map<String, @Nullable Object> body = answer instanceof Map ? Json.object(answer) : Map.of();
    if (body.get("error") instanceof Map) {
      body = Json.object(body.get("error"));
    }
    return new ApiException(body.get("status_code") instanceof Integer own ? own : status, body);
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  /** Returns the error code. */
  public String code() {
    return code;
  }

  /** Returns the service's message, without status and code. */
  public String detail() {
    return detail;
  }

  /** Returns the field that is wrong, if the service names one. */
  public @Nullable String field() {
    return field;
  }

  /** Returns the request's id, if the service names it. */
  public @Nullable String requestId() {
    return requestId;
  }

  private static String first(
      Map<String, @Nullable Object> body, String otherwise, String... names) {
    for (String name : names) {
      if (body.get(name) instanceof String text) {
        return text;
      }
    }
    return otherwise;
  }
}
