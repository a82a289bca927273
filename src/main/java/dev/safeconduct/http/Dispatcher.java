package dev.safeconduct.http;

import dev.safeconduct.http.Metrics.RouteMeters;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.trace.RequestSpan;
import dev.safeconduct.trace.Traces;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Headers;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.webserver.CloseConnectionException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one handler behind every address: route, credential, body, endpoint, answer, in this order;
 * whatever goes wrong on the way becomes an error answer here.
 */
final class Dispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
  private static final HeaderName API_KEY = HeaderNames.create("X-API-Key");
  private static final HeaderName SERVER_TIMING = HeaderNames.create("Server-Timing");
  private static final HeaderName TRACEPARENT = HeaderNames.create("traceparent");
  private static final HeaderName TRACESTATE = HeaderNames.create("tracestate");

  /** Supervisors ask for these all day; their spans would tell nobody anything. */
  private static final Set<String> UNTRACED = Set.of("/healthz", "/readyz", "/metrics");

  private final RouteTable table;
  private final Gate gate;
  private final Throttle throttle;
  private final Cookies cookies;
  private final BodyReader bodies;
  private final Cors cors;
  private final ClientAddress addresses;
  private final ProblemResponses problems;
  private final RequestIds ids;
  private final Readiness readiness;
  private final Map<Route, RouteMeters> meters;
  private final RouteMeters unrouted;
  private final StageTimes stages;
  private final Traces traces;
  private final InstantSource clock;

  Dispatcher(
      RouteTable table,
      Gate gate,
      Throttle throttle,
      Cookies cookies,
      BodyReader bodies,
      Cors cors,
      ClientAddress addresses,
      ProblemResponses problems,
      RequestIds ids,
      Readiness readiness,
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
    this.readiness = readiness;
    this.meters = meters;
    this.unrouted = unrouted;
  }

  /** Answers, or throws a {@link CloseConnectionException} when the connection is to end. */
  void handle(Call call) {
    Headers headers = call.headers();
    long started = System.nanoTime();
    RequestSpan span = traces.isOn() ? span(call, started) : null;
    var exchange =
        new Exchange(
            started,
            span,
            call.method(),
            call.path(),
            ids.of(
                headers.contains(Answers.REQUEST_ID)
                    ? headers.get(Answers.REQUEST_ID).get()
                    : null),
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
    Headers headers = call.headers();
    boolean continues = headers.contains(TRACEPARENT);
    List<String> parents = continues ? headers.get(TRACEPARENT).allValues() : List.of();
    return traces.begin(
        call.method(),
        parents.size() == 1 ? parents.getFirst() : null,
        continues ? String.join(",", headers.all(TRACESTATE, List::of)) : "",
        clock.instant(),
        nanos);
  }

  private void serve(Call call, Exchange exchange) {
    Headers headers = call.headers();
    ServerResponseHeaders answer = call.answerHeaders();
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
        answer.set(SERVER_TIMING, exchange.timing.header());
        exchange.timing.forEach(stages::record);
      }
      boolean spoilt = call.inTurn() && exchange.body.spoilsConnection();
      boolean last = call.inTurn() && (spoilt || readiness.isStopping() || asksToClose(headers));
      if (last) {
        answer.set(HeaderValues.CONNECTION_CLOSE);
      }
      Answers.send(response, exchange.method.equals("HEAD"), call);
      RouteMeters meter = route == null ? unrouted : meters.getOrDefault(route, unrouted);
      meter.record(response.status(), System.nanoTime() - exchange.started);
      if (spoilt) {
        exchange.body.drain();
      }
      if (last) {
        // The library answers "Connection: close" and then waits for the client to do it.
        throw new CloseConnectionException("This was the connection's last request");
      }
    } finally {
      bodies.release(exchange.body);
    }
  }

  private Response answer(Call call, Exchange exchange) {
    try {
      return route(call, exchange);
    } catch (ProblemException e) {
      exchange.refused = e.problem();
      return problems.of(e.problem(), exchange.occasion());
    } catch (CloseConnectionException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      LOG.error(
          "{} {} failed, request {}", exchange.method, shownPath(exchange), exchange.requestId, e);
      return problems.internal(exchange.occasion());
    }
  }

  private Response route(Call call, Exchange exchange) {
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
    Headers headers = call.headers();
    String clientAddress = clientAddress(call);
    Caller caller =
        gate.admit(route.permission(), () -> credential(route, exchange, headers), clientAddress);
    var toll = new Toll(throttle, route, caller, clientAddress);
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
            Site.of(headers, cookies.ownOrigins()),
            call.query(),
            caller,
            exchange.requestId,
            clientAddress,
            exchange.body.bytes(),
            exchange.timing,
            new SeveralAnswers(exchange, toll, problems));
    if (exchange.bySession && isForm && !isPage) {
      cookies.demandCsrfToken(
          caller, exchange.method, headers, request.formField(Cookies.CSRF_FIELD));
    }
    boolean stranger =
        isPage
            && !(caller instanceof Caller.Anonymous)
            && !cookies.hasCsrfToken(
                caller, exchange.method, headers, request.formField(Cookies.CSRF_FIELD));
    return route.endpoint().handle(stranger ? request.by(Gate.ANONYMOUS) : request);
  }

  /** A header's credential goes before a cookie's. */
  private Optional<Credential> credential(Route route, Exchange exchange, Headers headers) {
    Optional<Credential> sent =
        Credential.from(
            headers.all(API_KEY, List::of), headers.all(HeaderNames.AUTHORIZATION, List::of));
    if (sent.isPresent()) {
      return sent;
    }
    Optional<Credential> session = cookies.credential(route, exchange.method, headers);
    exchange.bySession = session.isPresent();
    return session;
  }

  private String clientAddress(Call call) {
    InetAddress peer = call.peer() instanceof InetSocketAddress socket ? socket.getAddress() : null;
    if (peer == null) {
      return call.peerName();
    }
    Headers headers = call.headers();
    return addresses.trustsAny() && headers.contains(HeaderNames.X_FORWARDED_FOR)
        ? addresses.of(peer, headers.all(HeaderNames.X_FORWARDED_FOR, List::of))
        : ClientAddress.text(peer);
  }

  private static boolean asksToClose(Headers headers) {
    return headers.contains(HeaderNames.CONNECTION)
        && headers.containsToken(HeaderValues.CONNECTION_CLOSE);
  }

  private static String shownPath(Exchange exchange) {
    return RequestPath.shown(exchange.path);
  }

  private static Problem unknownPath() {
    return new Problem.NotFound(
        "There is no endpoint at this path; GET /api/openapi-json lists all of them.",
        "endpoint_not_found",
        Map.of());
  }
}
