package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.problem.Problem;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A request as its endpoint sees it; query, form and JSON are parsed when first asked for. */
final class IncomingRequest implements Request {
  /** The names endpoints ask for; they are literals, so these are few. */
  private static final Map<String, HeaderName> NAMES = new ConcurrentHashMap<>();

  private final String method;
  private final String path;
  private final RouteTable.Match match;
  private final Headers headers;
  private final Site site;
  private final String rawQuery;
  private final Caller caller;
  private final String requestId;
  private final String clientAddress;
  private final byte[] body;
  private final ServerTiming timing;
  private final Several several;
  private @Nullable FormText query;
  private @Nullable FormText form;
  private @Nullable JsonObject json;

  IncomingRequest(
      String method,
      String path,
      RouteTable.Match match,
      Headers headers,
      Site site,
      String rawQuery,
      Caller caller,
      String requestId,
      String clientAddress,
      byte[] body,
      ServerTiming timing,
      Several several) {
    this.method = method;
    this.path = path;
    this.match = match;
    this.headers = headers;
    this.site = site;
    this.rawQuery = rawQuery;
    this.caller = caller;
    this.requestId = requestId;
    this.clientAddress = clientAddress;
    this.body = body;
    this.timing = timing;
    this.several = several;
  }

  /** The same request by another caller. */
  IncomingRequest by(Caller other) {
    return new IncomingRequest(
        method,
        path,
        match,
        headers,
        site,
        rawQuery,
        other,
        requestId,
        clientAddress,
        body,
        timing,
        several);
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
    return queryText().first(name);
  }

  @Override
  public List<String> queryNames() {
    return queryText().names();
  }

  @Override
  public Optional<String> header(String name) {
    HeaderName known = NAMES.computeIfAbsent(name, HeaderNames::create);
    if (!headers.contains(known)) {
      return Optional.empty();
    }
    Header header = headers.get(known);
    return Optional.of(
        header.valueCount() == 1 ? header.get() : String.join(", ", header.allValues()));
  }

  @Override
  public Caller caller() {
    return caller;
  }

  @Override
  public String requestId() {
    return requestId;
  }

  @Override
  public String clientAddress() {
    return clientAddress;
  }

  @Override
  public boolean hasBody() {
    return body.length > 0;
  }

  @Override
  public byte[] body() {
    return body;
  }

  @Override
  public JsonObject json() {
    JsonObject parsed = json;
    if (parsed == null) {
      try {
        parsed = Json.parseObject(body);
      } catch (JsonFault e) {
        throw Problem.invalid(String.valueOf(e.getMessage())).toException();
      }
      refuseOverflow(parsed);
      json = parsed;
    }
    return parsed;
  }

  /** What is judged may hold anything that is JSON, and is denied for it; what is kept may not. */
  private void refuseOverflow(JsonObject parsed) {
    if (match.route(method).filter(Route::verifies).isEmpty()) {
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
      parsed = new FormText(new String(body, StandardCharsets.UTF_8), "form");
      form = parsed;
    }
    return parsed;
  }

  @Override
  public Optional<String> cookie(String name) {
    return Cookies.value(headers, name);
  }

  @Override
  public Site site() {
    return site;
  }

  @Override
  public ServerTiming timing() {
    return timing;
  }

  @Override
  public Several several() {
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
