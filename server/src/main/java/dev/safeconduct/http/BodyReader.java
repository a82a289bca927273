package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.server.ConnectionLostException;
import dev.safeconduct.http.server.MalformedBodyException;
import dev.safeconduct.http.server.RequestHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;

/** Reads a request's body within its route's limits. */
final class BodyReader {
  /**
   * The whole body must arrive within this time; a slow sender must not hold the budget forever.
   */
  private static final long DEADLINE_NANOS = 60_000_000_000L;

  /** How far a large body may be behind 64 KiB a second. */
  private static final long GRACE_NANOS = 3_000_000_000L;

  private static final long NANOS_PER_BYTE = 1_000_000_000L / (64 << 10);

  private static final int FIRST_BUFFER = 16 << 10;
  private static final String CONTENT_TYPE = "Content-Type";

  private final LargeBodies budget;

  BodyReader(LargeBodies budget) {
    this.budget = budget;
  }

  /**
   * Reads the body, or leaves it unread when the route does not accept one.
   *
   * @throws ProblemException 413, 415, 503 or 400; the body is then only partly read or not at all
   * @throws ConnectionLostException when the client has closed the connection
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
    if (!typed && (declared > 0 || body.headers().contains(CONTENT_TYPE))) {
      throw wrongType(rule);
    }
    if (declared > body.freeBytes()) {
      reserve(body, declared);
    }
    try {
      body.complete(all(body, rule));
    } catch (MalformedBodyException _) {
      throw badFraming();
    } catch (IOException e) {
      throw new ConnectionLostException("The client went away while it sent its body", e);
    }
    if (!typed && body.bytes().length > 0) {
      throw wrongType(rule);
    }
  }

  /** Returns the body's share of the budget; called at the end of every request. */
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
        if (declared >= 0) {
          throw badFraming();
        }
        break;
      }
      length += count;
      if (length > rule.maxBytes()) {
        throw tooLarge(rule);
      }
      if (length > body.freeBytes() && body.reserved() == 0) {
        reserve(body, rule.maxBytes());
      }
      if (length != declared) {
        demandSpeed(body, length, System.nanoTime() - started);
      }
    }
    return length == buffer.length ? buffer : Arrays.copyOf(buffer, length);
  }

  private static void demandSpeed(RequestBody body, int length, long nanos) {
    if (nanos > DEADLINE_NANOS) {
      throw Problem.invalid("The body took longer than a minute to arrive; send it faster.")
          .toException();
    }
    if (body.reserved() > 0 && nanos > GRACE_NANOS + length * NANOS_PER_BYTE) {
      throw Problem.invalid("A body over 1 MiB must arrive with at least 64 KiB a second.")
          .toException();
    }
  }

  private static boolean hasRightType(RequestHeaders headers, BodyRule rule) {
    String text = headers.first(CONTENT_TYPE);
    if (text == null) {
      return false;
    }
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
    return Problem.invalid("The body ends too early, or its chunked encoding is broken.")
        .toException();
  }
}
