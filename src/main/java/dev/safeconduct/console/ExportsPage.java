package dev.safeconduct.console;

import dev.safeconduct.audit.ExportJob;
import dev.safeconduct.audit.ExportJobs;
import dev.safeconduct.audit.RecordExport;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Exports of the log: begun, looked at while they are made, and downloaded with their manifests.
 */
public final class ExportsPage {
  private static final String LIST = "/console/exports";
  private static final List<String> FILTERS =
      List.of("kind", "agent_id", "policy_id", "allow", "code");

  private final DoorPage door;
  private final ExportJobs jobs;

  ExportsPage(DoorPage door, ExportJobs jobs) {
    this.door = door;
    this.jobs = jobs;
  }

  List<Route> routes() {
    String one = LIST + "/{export_id}";
    return List.of(
        door.page(LIST, this::list),
        door.form(LIST, this::begin),
        door.page(one + "/records", this::records),
        door.page(one + "/manifest", this::manifest),
        door.form(one + "/remove", this::remove));
  }

  /** The page; {@code console/exports.jte}. */
  public record View(Shell shell, String lead, boolean running, List<Row> rows, String curl) {
    public View {
      rows = List.copyOf(rows);
    }
  }

  /** An export. */
  public record Row(
      String path,
      String what,
      String format,
      String state,
      int percent,
      String about,
      String by,
      Show.When at) {}

  private static OrgId demand(OpenPage page) {
    page.demand("GET", "/api/audit/export");
    return new OrgId(page.org());
  }

  private Response list(OpenPage page) {
    List<Row> rows = jobs.of(demand(page)).stream().map(job -> row(job, page)).toList();
    boolean running = rows.stream().anyMatch(row -> row.state().equals("running"));
    return page.show(
        "console/exports.jte",
        "Exports",
        shell ->
            new View(
                shell,
                rows.isEmpty()
                    ? "None is here. Begin one from the decisions or the audit log."
                    : running
                        ? "One is being written. You can leave this page; it goes on."
                        : "All are written. They are deleted a day after that.",
                running,
                rows,
                Curl.get(page, "/api/audit/export?format=ndjson")));
  }

  private static Row row(ExportJob job, OpenPage page) {
    String chosen =
        job.chosen().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(each -> Show.words(each.getKey()) + " " + each.getValue())
            .collect(Collectors.joining(", "));
    return new Row(
        LIST + "/" + Show.url(job.id()),
        chosen.isEmpty() ? "Every record" : "Records with " + chosen,
        job.format().name(),
        job.state().name().toLowerCase(Locale.ROOT),
        job.percent(),
        switch (job.state()) {
          case RUNNING ->
              job.percent() + " % of " + Show.count(job.size(), "place", "places") + " looked at";
          case DONE -> Show.count(job.records(), "record", "records") + ", " + size(job.bytes());
          case FAILED -> "It could not be written; the service's log says why.";
        },
        Words.caller(job.by()),
        Show.when(IsoInstant.millis(job.startedAt()), page.now()));
  }

  private static String size(long bytes) {
    return bytes < 10_000
        ? Show.count(bytes, "byte", "bytes")
        : bytes < 10_000_000
            ? Show.count(bytes / 1_000) + " kB"
            : Show.count(bytes / 1_000_000) + " MB";
  }

  private Response begin(OpenPage page) {
    OrgId org = demand(page);
    var chosen = new LinkedHashMap<String, String>();
    for (String name : FILTERS) {
      page.field(name).ifPresent(value -> chosen.put(name, value));
    }
    try {
      RecordExport.Format format =
          page.field("format")
              .flatMap(RecordExport.Format::parse)
              .orElseThrow(() -> Problem.invalid("format", "Choose NDJSON or CSV.").toException());
      jobs.begin(org, page.caller().name(), format, chosen);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> list(page));
    }
    return Response.empty(303).header("Location", LIST);
  }

  private ExportJob job(OpenPage page) {
    return jobs.find(demand(page), page.request().pathParam("export_id"))
        .orElseThrow(() ->
            new Problem.NotFound(
                    "No such export is here. It may have been removed, or lie on another node.",
                    "export_not_found",
                    Map.of())
                .toException());
  }

  private ExportJob done(OpenPage page) {
    ExportJob job = job(page);
    if (job.state() != ExportJob.State.DONE) {
      throw new Problem.Conflict("This export is not written yet.", "export_not_done")
          .toException();
    }
    return job;
  }

  private Response records(OpenPage page) {
    ExportJob job = done(page);
    return file(jobs.records(job), job.format().contentType());
  }

  private Response manifest(OpenPage page) {
    return file(jobs.manifest(done(page)), "text/plain; charset=utf-8");
  }

  private static Response file(Path file, String contentType) {
    return Response.stream(200, contentType, out -> Files.copy(file, out))
        .header("Content-Disposition", "attachment; filename=\"" + file.getFileName() + "\"")
        .header("Cache-Control", "no-store")
        .header("X-Content-Type-Options", "nosniff");
  }

  private Response remove(OpenPage page) {
    jobs.remove(job(page));
    return OpenPage.done(LIST, Done.EXPORT_REMOVED);
  }
}
