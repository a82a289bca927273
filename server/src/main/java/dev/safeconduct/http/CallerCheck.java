package dev.safeconduct.http;

import dev.safeconduct.http.server.Call;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.identity.Caller;
import java.net.InetAddress;
import java.util.Optional;

/** Finds out who sends a request, and whether they may send it now. */
final class CallerCheck {
  private static final String FORWARDED_FOR = "X-Forwarded-For";

  private final RouteAuthorizer gate;
  private final RateLimiter throttle;
  private final Cookies cookies;
  private final ClientAddress addresses;

  CallerCheck(
      RouteAuthorizer gate, RateLimiter throttle, Cookies cookies, ClientAddress addresses) {
    this.gate = gate;
    this.throttle = throttle;
    this.cookies = cookies;
    this.addresses = addresses;
  }

  /**
   * Returns the caller of the route.
   *
   * @throws dev.safeconduct.error.ProblemException 401, 403, or 429 when a limit is exceeded
   */
  Admitted admit(Route route, RequestState exchange, Call call) {
    RequestHeaders headers = call.headers();
    String address = clientAddress(call);
    Caller caller = gate.admit(route, () -> credential(route, exchange, headers), address);
    var toll = new RateLimitCheck(throttle, route, caller, address);
    exchange.toll = toll;
    toll.take();
    exchange.timing.mark("auth");
    if (exchange.bySession && route.body() != BodyRule.FORM && !isPage(route)) {
      cookies.demandCsrfToken(caller, exchange.method, headers, Optional.empty());
    }
    return new Admitted(caller, address, toll);
  }

  /** A caller and the address of the request. */
  record Admitted(Caller caller, String address, RateLimitCheck toll) {}

  FetchSite site(RequestHeaders headers) {
    return FetchSite.of(headers, cookies.ownOrigins());
  }

  /**
   * Checks the CSRF token of a form, which is in its body. On a page, a session without it does not
   * count.
   */
  IncomingRequest checked(
      IncomingRequest request, Route route, RequestState exchange, RequestHeaders headers) {
    Caller caller = request.caller();
    if (exchange.bySession && route.body() == BodyRule.FORM && !isPage(route)) {
      cookies.demandCsrfToken(
          caller, exchange.method, headers, request.formField(Cookies.CSRF_FIELD));
    }
    boolean stranger =
        isPage(route)
            && !(caller instanceof Caller.Anonymous)
            && !cookies.hasCsrfToken(
                caller, exchange.method, headers, request.formField(Cookies.CSRF_FIELD));
    return stranger ? request.by(RouteAuthorizer.ANONYMOUS) : request;
  }

  private static boolean isPage(Route route) {
    return route.permission() instanceof Permission.Browser;
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
}
