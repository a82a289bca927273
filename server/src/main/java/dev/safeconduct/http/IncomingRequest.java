package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request for its endpoint; query, form and JSON are parsed on first use. */
final class IncomingRequest implements Request {
  private final RequestState state;
  private final RouteTable.Match match;
  private final RequestHeaders headers;
  private final FetchSite site;
  private final String rawQuery;
  private final Caller caller;
  private final String clientAddress;
  private final BatchContext several;
  private @Nullable FormText query;
  private @Nullable FormText form;
  private @Nullable JsonObject json;

  IncomingRequest(
      RequestState state,
      RouteTable.Match match,
      RequestHeaders headers,
      FetchSite site,
      String rawQuery,
      Caller caller,
      String clientAddress,
      BatchContext several) {
    this.state = state;
    this.match = match;
    this.headers = headers;
    this.site = site;
    this.rawQuery = rawQuery;
    this.caller = caller;
    this.clientAddress = clientAddress;
    this.several = several;
  }

  /** Returns the same request with another caller. */
  IncomingRequest by(Caller other) {
    return new IncomingRequest(
        state, match, headers, site, rawQuery, other, clientAddress, several);
  }

  @Override
  public String method() {
    return state.method;
  }

  @Override
  public String path() {
    return state.path;
  }

  @Override
  public String pathParam(String name) {
    return match.param(state.method, name);
  }

  @Override
  public Optional<String> query(String name) {
    Optional<String> first = queryText().first(name);
    for (String value : queryText().all(name)) {
      if (!value.equals(first.get())) {
        throw Problem.invalid("The query parameter " + name + " has two values; send one.")
            .toException();
      }
    }
    return first;
  }

  @Override
  public List<String> queryNames() {
    return queryText().names();
  }

  @Override
  public Optional<String> header(String name) {
    if (!headers.contains(name)) {
      return Optional.empty();
    }
    // HTTP/2 clients may send cookies in separate headers (RFC 9113 section 8.2.3).
    String between = name.equalsIgnoreCase("Cookie") ? "; " : ", ";
    return Optional.of(String.join(between, headers.all(name)));
  }

  @Override
  public Caller caller() {
    return caller;
  }

  @Override
  public String requestId() {
    return state.requestId;
  }

  @Override
  public String clientAddress() {
    return clientAddress;
  }

  @Override
  public boolean hasBody() {
    return body().length > 0;
  }

  @Override
  public byte[] body() {
    return state.body.bytes();
  }

  @Override
  public JsonObject json() {
    JsonObject parsed = json;
    if (parsed == null) {
      try {
        parsed = Json.parseObject(body());
      } catch (JsonFault e) {
        throw Problem.invalid(String.valueOf(e.getMessage())).toException();
      }
      refuseOverflow(parsed);
      json = parsed;
    }
    return parsed;
  }

  /**
   * Refuses numbers beyond a double on routes that may store the body. Verify routes accept any
   * JSON and deny such values by policy.
   */
  private void refuseOverflow(JsonObject parsed) {
    if (match.route(state.method).filter(Route::verifies).isEmpty()) {
      JsonOverflow.place(parsed)
          .ifPresent(place -> {
            throw Problem.invalid(place, place + " is a number too large for a double.")
                .toException();
          });
    }
  }

  @Override
  public Optional<String> formField(String name) {
    return formText().first(name);
  }

  @Override
  public List<String> formFields(String name) {
    return formText().all(name);
  }

  private FormText formText() {
    FormText parsed = form;
    if (parsed == null) {
      parsed = new FormText(new String(body(), StandardCharsets.UTF_8), "form");
      form = parsed;
    }
    return parsed;
  }

  @Override
  public Optional<String> cookie(String name) {
    return Cookies.value(headers, name);
  }

  @Override
  public FetchSite site() {
    return site;
  }

  @Override
  public ServerTiming timing() {
    return state.timing;
  }

  @Override
  public BatchContext several() {
    return several;
  }

  private FormText queryText() {
    FormText parsed = query;
    if (parsed == null) {
      parsed = new FormText(rawQuery, "query");
      query = parsed;
    }
    return parsed;
  }
}
