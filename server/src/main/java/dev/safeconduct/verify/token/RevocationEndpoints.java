package dev.safeconduct.verify.token;

import dev.safeconduct.access.ApiKeyValidity;
import dev.safeconduct.access.Rights;
import dev.safeconduct.access.SignedIn;
import dev.safeconduct.access.StreamShares;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.db.Reads;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Cookies;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.ChangeFeed;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * {@code GET /api/revocations}: the changes in the read sets of an organization's decision tokens.
 * It sends server-sent events (WHATWG HTML section 9.2), or pages from a cursor.
 */
public final class RevocationEndpoints implements AutoCloseable {
  private static final int PAGE = 500;
  private static final int MOST_WAIT_MS = 30_000;

  /** The heartbeat interval. A reader without data for a second drops its tokens. */
  private static final Duration HEARTBEAT = Duration.ofMillis(500);

  /** The maximum stream duration. Then the reader reconnects and its credential is checked. */
  private static final Duration STREAM = Duration.ofMinutes(10);

  private static final byte[] BEAT = ": \n\n".getBytes(StandardCharsets.US_ASCII);

  private final RecentChanges changes;
  private final Revocations revocations;
  private final ActingOrganization organization;
  private final ApiKeyValidity standing;
  private final SignedIn sessions;
  private final BooleanSupplier healthy;
  private static final int STREAMS_PER_CREDENTIAL = 50;

  private final StreamShares streams = new StreamShares(STREAMS_PER_CREDENTIAL);

  /** {@code healthy}: whether this node still receives changes. */
  public RevocationEndpoints(
      ChangeFeed feed,
      Reads reads,
      Revocations revocations,
      ActingOrganization organization,
      ApiKeyValidity standing,
      SignedIn sessions,
      BooleanSupplier healthy) {
    this.changes = new RecentChanges(feed, reads);
    this.revocations = revocations;
    this.organization = organization;
    this.standing = standing;
    this.sessions = sessions;
    this.healthy = healthy;
  }

  public List<Route> routes() {
    return List.of(Route.get("/api/revocations", new Permission.Scoped(Scope.READ), this::follow));
  }

  private Response follow(Request request) {
    Rights rights = Rights.of(request.caller());
    OrgId org =
        request
            .query("org_id")
            .map(text -> organization.named(rights, text))
            .orElseGet(() -> organization.of(rights));
    var reader = new Revocations.Reader(org, rights.boundTo());
    long cursor =
        request
            .query("cursor")
            .or(() -> request.header("Last-Event-ID"))
            .map(RevocationEndpoints::cursor)
            .orElseGet(changes::last);
    boolean streamed =
        request.header("Accept").filter(types -> types.contains("text/event-stream")).isPresent();
    BooleanSupplier welcome = welcome(request);
    return streamed
        ? stream(request.caller(), welcome, reader, cursor)
        : page(request, welcome, reader, cursor);
  }

  private Response page(
      Request request, BooleanSupplier welcome, Revocations.Reader reader, long cursor) {
    int wait =
        request
            .query("wait_ms")
            .map(text -> ListPage.number("wait_ms", text, 0, MOST_WAIT_MS))
            .orElse(0);
    Optional<List<Change>> found = after(cursor, Duration.ofMillis(wait));
    if (!welcome.getAsBoolean()) {
      throw ProblemException.unauthorized("The credential ended while this request waited.");
    }
    List<JsonValue> events = new ArrayList<>();
    List<Change> read = found.orElse(List.of());
    read.forEach(change -> revocations.event(change, reader).ifPresent(events::add));
    long next =
        found.isEmpty() ? changes.last() : read.isEmpty() ? cursor : read.getLast().sequence();
    return Response.ok(
        JsonObject.builder()
            .put("revocations", new JsonArray(events))
            .put("reset", found.isEmpty())
            .put("next_cursor", Long.toString(next)));
  }

  private Response stream(
      Caller caller, BooleanSupplier welcome, Revocations.Reader reader, long cursor) {
    if (changes.isClosed() || !healthy.getAsBoolean()) {
      throw ProblemException.unavailable("This node cannot serve streams now.", 1);
    }
    streams
        .refusal(reader.org(), caller)
        .ifPresent(problem -> {
          throw problem.toException();
        });
    return Response.stream(
            200,
            "text/event-stream",
            out -> {
              if (!streams.open(reader.org(), caller)) {
                throw new IOException("no more streams");
              }
              try {
                write(out, welcome, reader, cursor);
              } finally {
                streams.close(reader.org(), caller);
              }
            })
        .header("X-Accel-Buffering", "no");
  }

  private void write(
      OutputStream out, BooleanSupplier welcome, Revocations.Reader reader, long from)
      throws IOException {
    long end = System.nanoTime() + STREAM.toNanos();
    long cursor = from;
    out.write(("retry: 200\nid: " + cursor + "\n\n").getBytes(StandardCharsets.US_ASCII));
    out.flush();
    while (System.nanoTime() < end && healthy.getAsBoolean()) {
      Optional<List<Change>> found = after(cursor, HEARTBEAT);
      if (changes.isClosed() || !welcome.getAsBoolean()) {
        return;
      }
      if (found.isEmpty()) {
        cursor = changes.last();
        out.write(event("reset", cursor, JsonObject.EMPTY));
      } else {
        for (Change change : found.get()) {
          Optional<JsonObject> event = revocations.event(change, reader);
          cursor = change.sequence();
          if (event.isPresent()) {
            out.write(event("revocation", cursor, event.get()));
          }
        }
        out.write(BEAT);
      }
      out.flush();
    }
  }

  /**
   * Whether the credential still opens what it did; asked again before anything is written. A
   * session must speak for the same person in the same organization and role, or for an operator
   * still.
   */
  private BooleanSupplier welcome(Request request) {
    Caller caller = request.caller();
    boolean bySession =
        caller instanceof Caller.Person
            || (caller instanceof Caller.Admin admin && admin.person().isPresent());
    if (!bySession) {
      String address = request.clientAddress();
      return () -> standing.isValid(caller, address);
    }
    String token = request.cookie(Cookies.SESSION).orElse("");
    return () -> sessions.caller(token).filter(caller::equals).isPresent();
  }

  private Optional<List<Change>> after(long cursor, Duration wait) {
    try {
      return changes.after(cursor, PAGE, wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new java.io.UncheckedIOException(new InterruptedIOException("stopped"));
    }
  }

  private static byte[] event(String name, long id, JsonObject data) {
    return ("event: " + name + "\nid: " + id + "\ndata: " + Json.text(data) + "\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static long cursor(String text) {
    try {
      long cursor = Long.parseLong(text);
      if (cursor >= 0) {
        return cursor;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw ProblemException.invalid(
        "cursor", "cursor must be the next_cursor of an earlier answer.");
  }

  /** Ends every stream, so that the server need not wait for them. */
  @Override
  public void close() {
    changes.close();
  }
}
