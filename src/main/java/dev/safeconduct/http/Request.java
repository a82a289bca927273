package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * One request, its credential checked and its body within limits; for the request's thread only.
 */
public interface Request {
  /** The method as sent; {@code HEAD} reaches the endpoint of {@code GET}. */
  String method();

  /** The path as sent, duplicate slashes collapsed, percent-encoding kept, no query. */
  String path();

  /**
   * The decoded text at a {@code {name}} of the route's path.
   *
   * @throws IllegalArgumentException when the route has no such parameter: a fault of ours
   */
  String pathParam(String name);

  /** The first value of a query parameter, decoded; {@code ?name} alone is the empty text. */
  Optional<String> query(String name);

  /** The names of the query's parameters in order, each once. */
  List<String> queryNames();

  /** A header's value; several of one name are joined by a comma (RFC 9110 section 5.3). */
  Optional<String> header(String name);

  Caller caller();

  String requestId();

  /** The client's address in text form, as {@code TRUSTED_PROXIES} lets us see it. */
  String clientAddress();

  /** Whether there is at least one byte of body. */
  boolean hasBody();

  /** The body as sent; empty without one. Not a copy: leave it unchanged. */
  byte[] body();

  /**
   * The body as a JSON object, parsed once.
   *
   * @throws dev.safeconduct.problem.ProblemException 400 for an empty body, anything that is not
   *     strict JSON, or JSON that is not an object
   */
  JsonObject json();

  /** The first value of a form field; only of routes that take a form. */
  Optional<String> formField(String name);

  /** All values of a form field in order: boxes that are ticked share a name. */
  default List<String> formFields(String name) {
    return formField(name).stream().toList();
  }

  /** The value of the first cookie of that name (RFC 6265), as it was sent. */
  Optional<String> cookie(String name);

  /** Whose page sent the request, as far as a browser tells. */
  Site site();

  ServerTiming timing();

  /** For a request that asks for several decisions. */
  Several several();
}
