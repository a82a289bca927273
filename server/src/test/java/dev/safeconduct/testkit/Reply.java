package dev.safeconduct.testkit;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** An answer as it came over the wire. */
@SuppressWarnings("ArrayRecordComponent") // read, never compared
public record Reply(int status, HttpHeaders headers, byte[] body) {
  public Optional<String> header(String name) {
    return headers.firstValue(name);
  }

  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** The body as a JSON object; fails the test when it is none. */
  public JsonObject json() {
    try {
      return Json.parseObject(body);
    } catch (JsonFault e) {
      throw new AssertionError("no JSON object: " + this, e);
    }
  }

  /** The body as any JSON value; fails the test when it is none. */
  public JsonValue value() {
    try {
      return Json.parse(body);
    } catch (JsonFault e) {
      throw new AssertionError("no JSON: " + this, e);
    }
  }

  /** The top-level member's text; fails the test when there is none. */
  public String string(String member) {
    return json()
        .string(member)
        .orElseThrow(() -> new AssertionError("no text in " + member + ": " + this));
  }

  @Override
  public String toString() {
    return status + " " + text();
  }
}
