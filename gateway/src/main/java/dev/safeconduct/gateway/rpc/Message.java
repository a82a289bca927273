package dev.safeconduct.gateway.rpc;

import java.math.BigInteger;
import java.nio.charset.CharacterCodingException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * One JSON-RPC 2.0 message as MCP uses it. It is parsed once; its bytes are kept, so that a message
 * that was checked is forwarded as it came. Members that the gateway does not know are kept too.
 */
public final class Message {
  /** What a message is. */
  public enum Kind {
    REQUEST,
    NOTIFICATION,
    RESPONSE
  }

  private static final int MAX_ID_LENGTH = 256;

  /** Some readers match the names of members in any case, so only one spelling may come. */
  private static final Set<String> ENVELOPE =
      Set.of("jsonrpc", "id", "method", "params", "result", "error");

  private final byte[] bytes;
  private final Map<String, @Nullable Object> members;
  private final Kind kind;

  private Message(byte[] bytes, Map<String, @Nullable Object> members, Kind kind) {
    this.bytes = bytes;
    this.members = Collections.unmodifiableMap(members);
    this.kind = kind;
  }

  /**
   * Parses one message.
   *
   * @param bytes its text in UTF-8, without line breaks around it; at most the limit that the
   *     transport sets
   * @throws InvalidMessage if it is not strict JSON, is a batch, or is not a valid message
   */
  public static Message parse(byte[] bytes) throws InvalidMessage {
    Object value;
    try {
      value = Json.parse(bytes);
    } catch (CharacterCodingException e) {
      throw new InvalidMessage(RpcError.PARSE_ERROR, "The message is not UTF-8.", null);
    } catch (JacksonException e) {
      throw new InvalidMessage(
          RpcError.PARSE_ERROR,
          "The message is not strict JSON: duplicate members, more than 64 levels and trailing"
              + " text are refused.",
          Json.lenientId(bytes));
    }
    if (value instanceof List) {
      throw new InvalidMessage(RpcError.INVALID_REQUEST, "Batches are refused.", null);
    }
    if (!(value instanceof Map<?, ?>)) {
      throw new InvalidMessage(RpcError.INVALID_REQUEST, "The message is not an object.", null);
    }
    return of(bytes, object(value));
  }

  private static Message of(byte[] bytes, Map<String, @Nullable Object> members)
      throws InvalidMessage {
    Object id = idOf(members.get("id"));
    String fault = fault(members, id);
    if (fault != null) {
      throw new InvalidMessage(RpcError.INVALID_REQUEST, fault, id);
    }
    Kind kind =
        !members.containsKey("method")
            ? Kind.RESPONSE
            : members.containsKey("id") ? Kind.REQUEST : Kind.NOTIFICATION;
    return new Message(bytes, members, kind);
  }

  private static @Nullable String fault(
      Map<String, @Nullable Object> members, @Nullable Object id) {
    for (String name : members.keySet()) {
      if (!ENVELOPE.contains(name) && ENVELOPE.stream().anyMatch(name::equalsIgnoreCase)) {
        return "The message has a member that differs from a JSON-RPC member only in its case.";
      }
    }
    if (!"2.0".equals(members.get("jsonrpc"))) {
      return "jsonrpc is not \"2.0\".";
    }
    boolean hasMethod = members.containsKey("method");
    boolean hasResult = members.containsKey("result");
    boolean hasError = members.containsKey("error");
    if ((hasMethod ? 1 : 0) + (hasResult ? 1 : 0) + (hasError ? 1 : 0) != 1) {
      return "A message has exactly one of method, result and error.";
    }
    if (hasMethod && !(members.get("method") instanceof String)) {
      return "method is not a string.";
    }
    if (members.containsKey("params") && !(members.get("params") instanceof Map)) {
      return "params is not an object.";
    }
    if (hasResult && !(members.get("result") instanceof Map)) {
      return "result is not an object.";
    }
    if (hasError && !(members.get("error") instanceof Map)) {
      return "error is not an object.";
    }
    boolean mayLackId = hasMethod ? !members.containsKey("id") : hasError;
    return id == null && !mayLackId
        ? "id is not a string of at most 256 characters or an integer."
        : null;
  }

  /** Returns the id if it is a string or an integer, as {@link #id} has it; null otherwise. */
  public static @Nullable Object idOf(@Nullable Object id) {
    return switch (id) {
      case String text when text.length() <= MAX_ID_LENGTH -> text;
      case Integer number -> number.longValue();
      case Long number -> number;
      case BigInteger number when number.bitLength() <= 128 -> number;
      case null, default -> null;
    };
  }

  /** Returns a request that the gateway itself makes. */
  public static Message request(
      Object id, String method, Map<String, ? extends @Nullable Object> params) {
    Map<String, @Nullable Object> members = envelope(id);
    members.put("method", method);
    members.put("params", params);
    return written(members, Kind.REQUEST);
  }

  /** Returns a notification that the gateway itself makes. */
  public static Message notification(
      String method, Map<String, ? extends @Nullable Object> params) {
    var members = new LinkedHashMap<String, @Nullable Object>();
    members.put("jsonrpc", "2.0");
    members.put("method", method);
    members.put("params", params);
    return written(members, Kind.NOTIFICATION);
  }

  /** Returns a response with a result. */
  public static Message result(
      @Nullable Object id, Map<String, ? extends @Nullable Object> result) {
    Map<String, @Nullable Object> members = envelope(id);
    members.put("result", result);
    return written(members, Kind.RESPONSE);
  }

  /** Returns a response with an error. */
  public static Message error(@Nullable Object id, RpcError error) {
    var body = new LinkedHashMap<String, @Nullable Object>();
    body.put("code", error.code());
    body.put("message", error.message());
    if (!error.data().isEmpty()) {
      body.put("data", error.data());
    }
    Map<String, @Nullable Object> members = envelope(id);
    members.put("error", body);
    return written(members, Kind.RESPONSE);
  }

  private static Map<String, @Nullable Object> envelope(@Nullable Object id) {
    var members = new LinkedHashMap<String, @Nullable Object>();
    members.put("jsonrpc", "2.0");
    members.put("id", id);
    return members;
  }

  private static Message written(Map<String, @Nullable Object> members, Kind kind) {
    return new Message(Json.write(members), members, kind);
  }

  /** Returns this message with one member of the envelope replaced; the others are kept. */
  public Message with(String member, @Nullable Object value) {
    var changed = new LinkedHashMap<String, @Nullable Object>(members);
    changed.put(member, value);
    return written(changed, kind);
  }

  /** Returns the text as it came, or as the gateway wrote it. Callers do not change it. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the text without line breaks, for a transport of lines. */
  public byte[] line() {
    for (byte each : bytes) {
      if (each == '\n' || each == '\r') {
        return Json.write(members);
      }
    }
    return bytes;
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the id, a String, Long or BigInteger; null for a notification. */
  public @Nullable Object id() {
    return idOf(members.get("id"));
  }

  /** Returns the method; empty for a response. */
  public String method() {
    return members.get("method") instanceof String text ? text : "";
  }

  /** Returns {@code params}; empty if there are none. */
  public Map<String, @Nullable Object> params() {
    return objectOrEmpty(members.get("params"));
  }

  /** Returns {@code params._meta}; empty if there is none. */
  public Map<String, @Nullable Object> meta() {
    return objectOrEmpty(params().get("_meta"));
  }

  /** Returns the result of a response; null if it is an error. */
  public @Nullable Map<String, @Nullable Object> result() {
    return members.get("result") instanceof Map<?, ?> map ? object(map) : null;
  }

  /** Returns the error of a response; null if it is a result. */
  public @Nullable Map<String, @Nullable Object> error() {
    return members.get("error") instanceof Map<?, ?> map ? object(map) : null;
  }

  /** Returns the value as an object; empty if it is not one. */
  public static Map<String, @Nullable Object> objectOrEmpty(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? object(map) : Map.of();
  }

  @SuppressWarnings("unchecked") // the parser makes maps of strings
  private static Map<String, @Nullable Object> object(@Nullable Object value) {
    return (Map<String, @Nullable Object>) java.util.Objects.requireNonNull(value);
  }
}
