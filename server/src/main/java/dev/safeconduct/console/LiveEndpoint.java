package dev.safeconduct.console;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.RecordKind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * {@code GET /console/live}: new decisions, or those that {@link #FILTERS} accept, as server-sent
 * events (WHATWG HTML, section 9.2). A browser that reconnects names the last event it received and
 * gets the missed ones, up to the number shown.
 */
final class LiveEndpoint {
  /** The parameters that restrict the decisions. */
  static final List<String> FILTERS = List.of("agent_id", "policy_id", "allow", "code");

  private static final long HEARTBEAT_SECONDS = 10;

  /** The longest stream. The browser then reconnects and its session is checked again. */
  private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final LiveDecisions live;
  private final KnownPacks packs;

  LiveEndpoint(LiveDecisions live, KnownPacks packs) {
    this.live = live;
    this.packs = packs;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(signIn.page("/console/live", this::watch));
  }

  private Response watch(OpenPage page) {
    if (!page.may("GET", "/api/audit")) {
      throw ProblemException.forbidden("Your role cannot view decisions.");
    }
    Optional<Long> after =
        page.request()
            .header("Last-Event-ID")
            .or(() -> page.query("after"))
            .flatMap(LiveEndpoint::index);
    var source =
        new LiveDecisions.Source(
            new OrgId(page.org()), AuditFilter.parse(name -> filter(page, name)));
    for (String name : List.of("policy_id", "code")) {
      if (!isKnown(page, name, page.query(name).orElse(""))) {
        throw ProblemException.invalid(name, name + " is of no policy of this organization.");
      }
    }
    live.refusal(source, page.caller())
        .ifPresent(problem -> {
          throw problem.toException();
        });
    // The stream opens the view, so that a request without a stream (HEAD) leaves none open.
    return Response.stream(
            200,
            "text/event-stream",
            out ->
                send(
                    live.watch(source, page.caller(), after)
                        .orElseThrow(() -> new IOException("too many live views")),
                    out))
        .header("X-Accel-Buffering", "no");
  }

  /**
   * Returns whether new decisions can have the value. Each other value would be one more list to
   * look up.
   *
   * @param value empty for no filter
   */
  boolean isKnown(OpenPage page, String name, String value) {
    return value.isEmpty()
        || switch (name) {
          case "policy_id" -> packs.find(page.org(), value).isPresent();
          case "code" -> packs.hasCode(page.org(), value);
          default -> true;
        };
  }

  private static void send(LiveDecisions.Viewer viewer, OutputStream out) throws IOException {
    long started = System.nanoTime();
    try (viewer) {
      write(out, "retry: 2000\n\n");
      while (viewer.isThere() && System.nanoTime() - started < MOST_NANOS) {
        Optional<LiveDecisions.News> news = viewer.next(HEARTBEAT_SECONDS);
        write(
            out,
            news.map(n -> "id: " + n.id() + "\nevent: decisions\n" + data(n.html()) + "\n")
                .orElse(":\n\n"));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static String data(String html) {
    var text = new StringBuilder();
    html.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
    return text.toString();
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static Optional<String> filter(OpenPage page, String name) {
    return name.equals("kind")
        ? Optional.of(RecordKind.DECISION.wire())
        : FILTERS.contains(name) ? page.query(name) : Optional.empty();
  }

  private static Optional<Long> index(String text) {
    return text.matches("[0-9]{1,18}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }
}
