package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;

/** One request whose credential and body size are checked; for the request's thread only. */
public interface Request {
  /** Returns the method as sent; {@code HEAD} reaches the endpoint of {@code GET}. */
  String method();

  /**
   * Returns the path as sent, with duplicate slashes collapsed, percent-encoded, without the query.
   */
  String path();

  /**
   * Returns the decoded text at a {@code {name}} of the route's path.
   *
   * @throws IllegalArgumentException when the route has no such parameter: a programming error
   */
  String pathParam(String name);

  /**
   * Returns a query parameter's value, decoded; {@code ?name} alone is the empty text.
   *
   * @throws dev.safeconduct.error.ProblemException 400 if it has two values
   */
  Optional<String> query(String name);

  /** Returns the names of the query's parameters in order, each once. */
  List<String> queryNames();

  /** Returns a header's value; several of one name are joined by a comma (RFC 9110 section 5.3). */
  Optional<String> header(String name);

  Caller caller();

  String requestId();

  /** Returns the client's address as text, as determined with {@code TRUSTED_PROXIES}. */
  String clientAddress();

  /** Returns the caller, the address and the request id. */
  default Origin origin() {
    return new Origin(caller(), clientAddress(), requestId());
  }

  /** Returns whether there is at least one byte of body. */
  boolean hasBody();

  /** Returns the body as sent; empty without one. It is not a copy: do not change it. */
  byte[] body();

  /**
   * Returns the body as a JSON object, parsed once.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for an empty body, invalid strict JSON, or
   *     JSON that is not an object
   */
  JsonObject json();

  /** Returns the first value of a form field; only for routes that accept a form. */
  Optional<String> formField(String name);

  /** Returns all values of a form field in order: checkboxes of a group share a name. */
  default List<String> formFields(String name) {
    return formField(name).stream().toList();
  }

  /** Returns the value of the first cookie of that name (RFC 6265), as it was sent. */
  Optional<String> cookie(String name);

  /** Returns the site whose page sent the request, as far as the browser reports it. */
  FetchSite site();

  ServerTiming timing();

  /** Returns the support for requests that ask for several decisions. */
  BatchContext several();
}
