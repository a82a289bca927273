package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Metrics.RouteMeters;
import dev.safeconduct.http.server.Call;
import dev.safeconduct.http.server.CallHandler;
import dev.safeconduct.http.server.ConnectionLostException;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.http.server.ResponseHeaders;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.telemetry.RequestSpan;
import dev.safeconduct.telemetry.Traces;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single handler of all requests. It runs routing, authentication, body, endpoint and response
 * in this order, and turns every failure into an error response.
 */
final class Dispatcher implements CallHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
  private static final String FORWARDED_FOR = "X-Forwarded-For";

  /** Supervisors poll these constantly; spans for them would have no value. */
  private static final Set<String> UNTRACED = Set.of("/healthz", "/readyz", "/metrics");

  private final RouteTable table;
  private final RouteAuthorizer gate;
  private final RateLimiter throttle;
  private final Cookies cookies;
  private final BodyReader bodies;
  private final Cors cors;
  private final ClientAddress addresses;
  private final ProblemResponses problems;
  private final RequestIds ids;
  private final Map<Route, RouteMeters> meters;
  private final RouteMeters unrouted;
  private final StageTimes stages;
  private final Traces traces;
  private final InstantSource clock;

  Dispatcher(
      RouteTable table,
      RouteAuthorizer gate,
      RateLimiter throttle,
      Cookies cookies,
      BodyReader bodies,
      Cors cors,
      ClientAddress addresses,
      ProblemResponses problems,
      RequestIds ids,
      Map<Route, RouteMeters> meters,
      RouteMeters unrouted,
      StageTimes stages,
      Traces traces,
      InstantSource clock) {
    this.stages = stages;
    this.traces = traces;
    this.clock = clock;
    this.table = table;
    this.gate = gate;
    this.throttle = throttle;
    this.cookies = cookies;
    this.bodies = bodies;
    this.cors = cors;
    this.addresses = addresses;
    this.problems = problems;
    this.ids = ids;
    this.meters = meters;
    this.unrouted = unrouted;
  }

  @Override
  public void handle(Call call) {
    RequestHeaders headers = call.headers();
    long started = System.nanoTime();
    RequestSpan span = traces.isOn() ? span(call, started) : null;
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

  private @Nullable RequestSpan span(Call call, long nanos) {
    if (UNTRACED.contains(call.path())) {
      return null;
    }
    RequestHeaders headers = call.headers();
    List<String> parents = headers.all("traceparent");
    return traces.begin(
        call.method(),
        parents.size() == 1 ? parents.getFirst() : null,
        parents.isEmpty() ? "" : String.join(",", headers.all("tracestate")),
        clock.instant(),
        nanos);
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
        answer.set("Server-Timing", exchange.timing.header());
        exchange.timing.forEach(stages::record);
      }
      Answers.send(response, exchange.method.equals("HEAD"), call);
      RouteMeters meter = route == null ? unrouted : meters.getOrDefault(route, unrouted);
      meter.record(response.status(), System.nanoTime() - exchange.started);
    } finally {
      bodies.release(exchange.body);
    }
  }

  /** Gives requests that fail before routing the same error format as all other errors. */
  @Override
  public void refuse(Call call, int status) {
    String requestId = ids.of(call.headers().first(Answers.REQUEST_ID));
    var occasion =
        new ProblemResponses.Occasion(
            call.method(),
            call.path(),
            requestId,
            table.verifies(call.method(), call.path()),
            false);
    Response response = problems.refused(status, occasion);
    Answers.head(response, requestId, call.responseHeaders());
    Answers.send(response, call.method().equals("HEAD"), call);
  }

  private Response answer(Call call, RequestState exchange) {
    try {
      return route(call, exchange);
    } catch (ProblemException e) {
      exchange.refused = e.problem();
      return problems.of(e.problem(), exchange.occasion());
    } catch (ConnectionLostException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      LOG.error(
          "{} {} failed, request {}", exchange.method, shownPath(exchange), exchange.requestId, e);
      return problems.internal(exchange.occasion());
    }
  }

  private Response route(Call call, RequestState exchange) {
    exchange.path = RequestPath.canonical(exchange.path);
    RouteTable.Match match =
        table.find(exchange.path).orElseThrow(() -> unknownPath().toException());
    exchange.verifies = match.verifies(exchange.method);
    Route route = match.route(exchange.method).orElse(null);
    if (route == null) {
      if (exchange.method.equals("OPTIONS")) {
        return cors.options(match, call.headers());
      }
      throw new Problem.MethodNotAllowed(
              "This path does not know " + exchange.method + "; see Allow.", match.methods())
          .toException();
    }
    exchange.route = route;
    RequestHeaders headers = call.headers();
    String clientAddress = clientAddress(call);
    Caller caller =
        gate.admit(route.permission(), () -> credential(route, exchange, headers), clientAddress);
    var toll = new RateLimitCheck(throttle, route, caller, clientAddress);
    exchange.toll = toll;
    toll.take();
    exchange.timing.mark("auth");
    boolean isForm = route.body() == BodyRule.FORM;
    boolean isPage = route.permission() instanceof Permission.Browser;
    if (exchange.bySession && !isForm && !isPage) {
      cookies.demandCsrfToken(caller, exchange.method, headers, Optional.empty());
    }
    bodies.read(exchange.body, route.body());
    var request =
        new IncomingRequest(
            exchange.method,
            exchange.path,
            match,
            headers,
            FetchSite.of(headers, cookies.ownOrigins()),
            call.query(),
            caller,
            exchange.requestId,
            clientAddress,
            exchange.body.bytes(),
            exchange.timing,
            new BatchAnswers(exchange, toll, problems));
    if (exchange.bySession && isForm && !isPage) {
      cookies.demandCsrfToken(
          caller, exchange.method, headers, request.formField(Cookies.CSRF_FIELD));
    }
    boolean stranger =
        isPage
            && !(caller instanceof Caller.Anonymous)
            && !cookies.hasCsrfToken(
                caller, exchange.method, headers, request.formField(Cookies.CSRF_FIELD));
    return route.endpoint().handle(stranger ? request.by(RouteAuthorizer.ANONYMOUS) : request);
  }

  /** Prefers a header's credential over a cookie's. */
  private Optional<Credential> credential(
      Route route, RequestState exchange, RequestHeaders headers) {
    Optional<Credential> sent =
        Credential.from(headers.all("X-API-Key"), headers.all("Authorization"));
    if (sent.isPresent()) {
      return sent;
    }
    Optional<Credential> session = cookies.credential(route, exchange.method, headers);
    exchange.bySession = session.isPresent();
    return session;
  }

  private String clientAddress(Call call) {
    InetAddress peer = call.peer().getAddress();
    RequestHeaders headers = call.headers();
    return addresses.trustsAny() && headers.contains(FORWARDED_FOR)
        ? addresses.of(peer, headers.all(FORWARDED_FOR))
        : ClientAddress.text(peer);
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
