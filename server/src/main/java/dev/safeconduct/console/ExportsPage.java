package dev.safeconduct.console;

import dev.safeconduct.audit.ExportJob;
import dev.safeconduct.audit.ExportJobs;
import dev.safeconduct.audit.RecordExport;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Exports of the log: starting them, their progress, and downloads with their manifests. */
public final class ExportsPage {
  private static final String LIST = "/console/exports";
  private static final List<String> FILTERS =
      List.of("kind", "agent_id", "policy_id", "allow", "code");

  private final ExportJobs jobs;

  ExportsPage(ExportJobs jobs) {
    this.jobs = jobs;
  }

  List<Route> routes(SignInPage signIn) {
    String one = LIST + "/{export_id}";
    return List.of(
        signIn.page(LIST, this::list),
        signIn.form(LIST, this::begin, this::list),
        signIn.page(one + "/records", this::records),
        signIn.page(one + "/manifest", this::manifest),
        signIn.form(one + "/remove", this::remove));
  }

  /** The page; {@code console/exports.jte}. */
  public record ExportList(
      Layout shell, String lead, boolean running, List<Row> rows, String curl) {}

  /** An export. */
  public record Row(
      String path,
      String what,
      String format,
      String state,
      int percent,
      String about,
      String by,
      Formats.When at) {}

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
            new ExportList(
                shell,
                rows.isEmpty()
                    ? "No exports. Start one from Decisions or from the audit log."
                    : running
                        ? "An export is running. You can leave this page."
                        : "All exports are complete. Each is deleted one day after completion.",
                running,
                rows,
                Curl.get(page, "/api/audit/export?format=ndjson")));
  }

  private static Row row(ExportJob job, OpenPage page) {
    String chosen =
        job.chosen().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(each -> Formats.words(each.getKey()) + " " + each.getValue())
            .collect(Collectors.joining(", "));
    return new Row(
        LIST + "/" + Formats.url(job.id()),
        chosen.isEmpty() ? "All records" : "Records with " + chosen,
        job.format().name(),
        job.state().name().toLowerCase(Locale.ROOT),
        job.percent(),
        switch (job.state()) {
          case RUNNING ->
              job.percent() + " % of " + Formats.count(job.size(), "record", "records") + " read";
          case DONE -> Formats.count(job.records(), "record", "records") + ", " + size(job.bytes());
          case FAILED -> "The export failed; see the service's log.";
        },
        page.actor(job.by()).name(),
        page.when(IsoInstant.millis(job.startedAt())));
  }

  private static String size(long bytes) {
    return bytes < 10_000
        ? Formats.count(bytes, "byte", "bytes")
        : bytes < 10_000_000
            ? Formats.count(bytes / 1_000) + " kB"
            : Formats.count(bytes / 1_000_000) + " MB";
  }

  private Response begin(OpenPage page) {
    OrgId org = demand(page);
    var chosen = new LinkedHashMap<String, String>();
    for (String name : FILTERS) {
      page.field(name).ifPresent(value -> chosen.put(name, value));
    }
    RecordExport.Format format =
        page.field("format")
            .flatMap(RecordExport.Format::parse)
            .orElseThrow(() -> ProblemException.invalid("format", "Choose NDJSON or CSV."));
    jobs.begin(org, page.caller().name(), format, chosen);
    return Response.seeOther(LIST);
  }

  private ExportJob job(OpenPage page) {
    return jobs.find(demand(page), page.param("export_id"))
        .orElseThrow(() ->
            ProblemException.notFound(
                "This export does not exist here. It may have been removed, or be on another node.",
                "export_not_found",
                Map.of()));
  }

  private ExportJob done(OpenPage page) {
    ExportJob job = job(page);
    if (job.state() != ExportJob.State.DONE) {
      throw ProblemException.conflict("This export is not complete yet.", "export_not_done");
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
    return OpenPage.done(LIST, FlashMessage.EXPORT_REMOVED);
  }
}
