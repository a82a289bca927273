package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A page's request to a route; see {@link InnerCalls}. */
final class InnerRequest implements Request {
  private final Request from;
  private final String method;
  private final String path;
  private final RouteTable.Match match;
  private final FormText query;
  private final Caller caller;
  private final JsonObject body;
  private final Map<String, String> headers;

  InnerRequest(
      Request from,
      String method,
      String path,
      RouteTable.Match match,
      String query,
      Caller caller,
      JsonObject body,
      Map<String, String> headers) {
    this.from = from;
    this.method = method;
    this.path = path;
    this.match = match;
    this.query = new FormText(query, "query");
    this.caller = caller;
    this.body = body;
    this.headers = headers;
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public String pathParam(String name) {
    return match.param(method, name);
  }

  @Override
  public Optional<String> query(String name) {
    return query.first(name);
  }

  @Override
  public List<String> queryNames() {
    return query.names();
  }

  @Override
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  @Override
  public Caller caller() {
    return caller;
  }

  @Override
  public String requestId() {
    return from.requestId();
  }

  @Override
  public String clientAddress() {
    return from.clientAddress();
  }

  @Override
  public boolean hasBody() {
    return !body.isEmpty();
  }

  @Override
  public byte[] body() {
    return Json.bytes(body);
  }

  @Override
  public JsonObject json() {
    return body;
  }

  @Override
  public Optional<String> formField(String name) {
    return Optional.empty();
  }

  @Override
  public Optional<String> cookie(String name) {
    return Optional.empty();
  }

  @Override
  public FetchSite site() {
    return FetchSite.SAME;
  }

  @Override
  public ServerTiming timing() {
    return from.timing();
  }

  @Override
  public BatchContext several() {
    return from.several();
  }
}
