package dev.safeconduct.http;

import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import io.helidon.common.buffers.DataReader;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;

/** Reads a request's body within its route's limits. */
final class BodyReader {
  /** A body must have arrived within this time, or a slow sender could hold the budget for ever. */
  private static final long DEADLINE_NANOS = 60_000_000_000L;

  private static final int FIRST_BUFFER = 16 << 10;

  private final LargeBodies budget;

  BodyReader(LargeBodies budget) {
    this.budget = budget;
  }

  /**
   * Fills the body, or leaves it where the route takes none.
   *
   * @throws ProblemException 413, 415, 503 or 400; the body is then only partly read or not at all
   * @throws CloseConnectionException when the client has gone away
   */
  void read(RequestBody body, BodyRule rule) {
    if (rule == BodyRule.NONE || !body.isSent()) {
      return;
    }
    long declared = body.declaredLength();
    if (declared > rule.maxBytes()) {
      throw tooLarge(rule);
    }
    boolean typed = hasRightType(body.headers(), rule);
    if (!typed && (declared > 0 || body.headers().contains(HeaderNames.CONTENT_TYPE))) {
      throw wrongType(rule);
    }
    if (declared > body.freeBytes()) {
      reserve(body, declared);
    }
    try {
      body.complete(all(body, rule));
    } catch (RequestException e) {
      throw e.status().code() == 413 ? tooLarge(rule) : badFraming();
    } catch (NumberFormatException | DataReader.IncorrectNewLineException _) {
      throw badFraming();
    } catch (DataReader.InsufficientDataAvailableException | IOException | UncheckedIOException e) {
      throw new CloseConnectionException("The client went away while it sent its body", e);
    }
    if (!typed && body.bytes().length > 0) {
      throw wrongType(rule);
    }
  }

  /** Gives back what the body holds of the budget; for the end of every request. */
  void release(RequestBody body) {
    if (body.reserved() > 0) {
      budget.release(body.reserved());
      body.reserved(0);
    }
  }

  private void reserve(RequestBody body, long bytes) {
    budget.reserve(bytes);
    body.reserved(bytes);
  }

  private byte[] all(RequestBody body, BodyRule rule) throws IOException {
    InputStream in = body.stream();
    long declared = body.declaredLength();
    long most = declared < 0 ? rule.maxBytes() + 1L : declared;
    byte[] buffer = new byte[(int) Math.min(most, FIRST_BUFFER)];
    long started = System.nanoTime();
    int length = 0;
    while (length < declared || declared < 0) {
      if (length == buffer.length) {
        buffer = Arrays.copyOf(buffer, (int) Math.min(most, 2L * length));
      }
      int count = in.read(buffer, length, buffer.length - length);
      if (count < 0) {
        break;
      }
      length += count;
      if (length > rule.maxBytes()) {
        throw tooLarge(rule);
      }
      if (length > body.freeBytes() && body.reserved() == 0) {
        reserve(body, rule.maxBytes());
      }
      if (length != declared && System.nanoTime() - started > DEADLINE_NANOS) {
        throw Problem.invalid("The body took longer than a minute to arrive; send it faster.")
            .toException();
      }
    }
    return length == buffer.length ? buffer : Arrays.copyOf(buffer, length);
  }

  private static boolean hasRightType(Headers headers, BodyRule rule) {
    if (!headers.contains(HeaderNames.CONTENT_TYPE)) {
      return false;
    }
    String text = headers.get(HeaderNames.CONTENT_TYPE).get();
    if (rule != BodyRule.FORM && text.equals(Response.JSON)) {
      return true;
    }
    int semicolon = text.indexOf(';');
    String type = (semicolon < 0 ? text : text.substring(0, semicolon)).strip();
    type = type.toLowerCase(Locale.ROOT);
    return rule == BodyRule.FORM
        ? type.equals("application/x-www-form-urlencoded")
        : type.equals(Response.JSON) || (type.startsWith("application/") && type.endsWith("+json"));
  }

  private static ProblemException tooLarge(BodyRule rule) {
    return new Problem.PayloadTooLarge(
            "The body is larger than the " + rule.maxBytes() + " bytes this endpoint takes.",
            rule.maxBytes())
        .toException();
  }

  private static ProblemException wrongType(BodyRule rule) {
    if (rule == BodyRule.AUTHZEN) {
      return Problem.invalid("Send JSON with Content-Type: application/json.").toException();
    }
    return new Problem.UnsupportedMediaType(
            rule == BodyRule.FORM
                ? "Send a form with Content-Type: application/x-www-form-urlencoded."
                : "Send JSON with Content-Type: application/json.")
        .toException();
  }

  private static ProblemException badFraming() {
    return Problem.invalid("The body's chunked encoding is broken or a chunk is over 1 MiB.")
        .toException();
  }
}
