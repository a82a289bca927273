package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.server.Call;
import dev.safeconduct.http.server.CallHandler;
import dev.safeconduct.http.server.ConnectionLostException;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.http.server.ResponseHeaders;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.telemetry.RequestSpan;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single handler of all requests. It runs routing, authentication, body, endpoint and response
 * in this order, and turns every failure into an error response.
 */
final class Dispatcher implements CallHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  private static final byte[] NO_BODY = {};

  private final RouteTable table;
  private final CallerCheck callers;
  private final BodyReader bodies;
  private final Cors cors;
  private final ProblemResponses problems;
  private final RequestIds ids;
  private final Observation observation;
  private final InstantSource clock;

  Dispatcher(
      RouteTable table,
      CallerCheck callers,
      BodyReader bodies,
      Cors cors,
      ProblemResponses problems,
      RequestIds ids,
      Observation observation,
      InstantSource clock) {
    this.table = table;
    this.callers = callers;
    this.bodies = bodies;
    this.cors = cors;
    this.problems = problems;
    this.ids = ids;
    this.observation = observation;
    this.clock = clock;
  }

  @Override
  public void handle(Call call) {
    RequestHeaders headers = call.headers();
    long started = System.nanoTime();
    RequestSpan span = observation.span(call, started);
    var exchange =
        new RequestState(
            started,
            span,
            call.method(),
            call.path(),
            ids.of(headers.first(Answers.REQUEST_ID)),
            new RequestBody(call),
            ProblemResponses.isWanted(headers));
    if (span == null) {
      serve(call, exchange);
      return;
    }
    try {
      span.within(() -> serve(call, exchange));
    } finally {
      span.end(
          exchange.route == null ? null : exchange.route.path(),
          shownPath(exchange),
          exchange.status,
          exchange.requestId,
          System.nanoTime());
    }
  }

  private void serve(Call call, RequestState exchange) {
    RequestHeaders headers = call.headers();
    ResponseHeaders answer = call.responseHeaders();
    try {
      Response response = answer(call, exchange);
      exchange.status = response.status();
      Route route = exchange.route;
      Answers.head(response, exchange.requestId, answer);
      if (route != null && route.body() == BodyRule.AUTHZEN) {
        Answers.echo(headers, answer);
      }
      cors.apply(route, headers, answer);
      exchange.allowance().tell(answer, clock);
      if (route != null && route.verifies()) {
        String timing = exchange.timing.header();
        if (!timing.isEmpty()) {
          answer.add("Server-Timing", timing);
        }
        observation.recordStages(exchange.timing);
      }
      Answers.send(response, exchange.method.equals("HEAD"), call);
      observation.record(route, response.status(), System.nanoTime() - exchange.started);
    } finally {
      bodies.release(exchange.body);
    }
  }

  /** Gives requests that fail before routing the same error format as all other errors. */
  @Override
  public void refuse(Call call, int status) {
    String method = call.method();
    String requestId = ids.of(call.headers().first(Answers.REQUEST_ID));
    Optional<RouteTable.Match> match = table.refused(call.path());
    boolean verifies = match.filter(found -> found.verifies(method)).isPresent();
    var occasion = new ProblemResponses.Occasion(method, call.path(), requestId, verifies, false);
    Response response =
        match
            .flatMap(found -> own(found, method, NO_BODY, problems.refusedBody(status, occasion)))
            .orElseGet(() -> problems.refused(status, occasion));
    Answers.head(response, requestId, call.responseHeaders());
    Answers.send(response, call.method().equals("HEAD"), call);
  }

  private Response answer(Call call, RequestState exchange) {
    try {
      Response response = route(call, exchange);
      response.encoded(); // here, where a fault becomes an error response
      return response;
    } catch (ProblemException e) {
      exchange.refused = e.problem();
      return own(exchange, problems.body(e.problem(), exchange.occasion()))
          .orElseGet(() -> problems.of(e.problem(), exchange.occasion()));
    } catch (ConnectionLostException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      LOG.error(
          "{} {} failed, request {}", exchange.method, shownPath(exchange), exchange.requestId, e);
      return own(exchange, problems.internalBody(exchange.occasion()))
          .orElseGet(() -> problems.internal(exchange.occasion()));
    }
  }

  private static Optional<Response> own(RequestState exchange, JsonObject error) {
    return Optional.ofNullable(exchange.match)
        .flatMap(match -> own(match, exchange.method, exchange.body.bytes(), error));
  }

  /** Returns the route's own answer to a failure, if it has one. */
  private static Optional<Response> own(
      RouteTable.Match match, String method, byte[] body, JsonObject error) {
    return match
        .route(method)
        .map(Route::failures)
        .map(failures -> failures.of(name -> match.param(method, name), body, error));
  }

  private Response route(Call call, RequestState exchange) {
    exchange.path = RequestPath.canonical(exchange.path);
    RouteTable.Match match =
        table.find(exchange.path).orElseThrow(() -> unknownPath().toException());
    exchange.match = match;
    exchange.verifies = match.verifies(exchange.method);
    Route route = match.route(exchange.method).orElse(null);
    if (route == null) {
      if (exchange.method.equals("OPTIONS")) {
        return cors.options(match, call.headers());
      }
      throw new Problem.MethodNotAllowed(
              "This path does not support " + exchange.method + "; Allow lists its methods.",
              match.methods())
          .toException();
    }
    exchange.route = route;
    RequestHeaders headers = call.headers();
    CallerCheck.Admitted admitted = callers.admit(route, exchange, call);
    bodies.read(exchange.body, route.body());
    var request =
        new IncomingRequest(
            exchange,
            match,
            headers,
            callers.site(headers),
            call.query(),
            admitted.caller(),
            admitted.address(),
            new BatchContext(exchange, admitted.toll(), problems));
    return route.endpoint().handle(callers.checked(request, route, exchange, headers));
  }

  private static String shownPath(RequestState exchange) {
    return RequestPath.shown(exchange.path);
  }

  private static Problem unknownPath() {
    return new Problem.NotFound(
        "There is no endpoint at this path; GET /api/openapi-json lists all of them.",
        "endpoint_not_found",
        Map.of());
  }
}
