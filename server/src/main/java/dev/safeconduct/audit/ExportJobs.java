package dev.safeconduct.audit;

import dev.safeconduct.config.Background;
import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.tlog.Tree;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes exports into files of this node, one after the other, each with a manifest signed by the
 * log's keys. An export continues after a restart. Its files are deleted a day after completion,
 * because they still contain data that is erased meanwhile.
 */
public final class ExportJobs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExportJobs.class);
  private static final Duration KEPT = Duration.ofDays(1);
  private static final int MOST_OF_ONE = 5;
  private static final long LEAST_FREE = 1L << 29;
  private static final long LOOK_SECONDS = 60;

  private final ExportFiles files;
  private final AuditLog log;
  private final MerkleLog tree;
  private final Checkpoints checkpoints;
  private final Supplier<List<Signer>> keys;
  private final Supplier<String> ids;
  private final InstantSource clock;
  private final Map<String, ExportJob> jobs = new ConcurrentHashMap<>();
  private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>();
  private final Background thread;
  private volatile boolean closing;

  /**
   * @param folder the folder of the files; created with the first export
   * @param keys all keys that sign manifests, the current one first
   * @param ids returns a new hex number each time
   */
  public ExportJobs(
      Path folder,
      AuditLog log,
      MerkleLog tree,
      Checkpoints checkpoints,
      Supplier<List<Signer>> keys,
      Supplier<String> ids,
      InstantSource clock) {
    this.files = new ExportFiles(folder);
    this.log = log;
    this.tree = tree;
    this.checkpoints = checkpoints;
    this.keys = keys;
    this.ids = ids;
    this.clock = clock;
    this.thread = Background.named("exports", this::work);
  }

  /** Continues the exports of an earlier process. */
  public void start() {
    for (ExportJob job : files.all()) {
      jobs.put(job.id(), job);
      if (job.state() == ExportJob.State.RUNNING) {
        waiting.add(job.id());
      }
    }
    thread.start();
  }

  /** Returns the organization's exports on this node, the newest first. */
  public List<ExportJob> of(OrgId org) {
    return jobs.values().stream()
        .filter(job -> job.org().equals(org))
        .sorted(Comparator.comparing(ExportJob::startedAt).reversed().thenComparing(ExportJob::id))
        .toList();
  }

  public Optional<ExportJob> find(OrgId org, String id) {
    return Optional.ofNullable(jobs.get(id)).filter(job -> job.org().equals(org));
  }

  /**
   * Starts an export.
   *
   * @param chosen the filter, as query parameters of the list of records
   * @throws dev.safeconduct.error.ProblemException 400 for an invalid filter, 409 when the
   *     organization has too many exports, 503 when the disk is too full
   */
  public synchronized ExportJob begin(
      OrgId org, String by, RecordExport.Format format, Map<String, String> chosen) {
    filter(chosen);
    if (of(org).size() >= MOST_OF_ONE) {
      throw ProblemException.conflict(
          "There are " + MOST_OF_ONE + " exports already; remove one first.", "too_many_exports");
    }
    try {
      if (files.free() < LEAST_FREE) {
        throw ProblemException.unavailable("The disk is too full for an export.", 60);
      }
      var job =
          new ExportJob(
              "exp_" + ids.get(),
              org,
              by,
              format,
              chosen,
              checkpoints.atLeast(tree.size()).checkpoint().size(),
              clock.instant(),
              ExportJob.State.RUNNING,
              -1,
              0,
              0,
              Optional.empty());
      keep(job);
      waiting.add(job.id());
      return job;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static AuditFilter filter(Map<String, String> chosen) {
    return AuditFilter.parse(name -> Optional.ofNullable(chosen.get(name)));
  }

  /** Ends and deletes the export. */
  public void remove(ExportJob job) {
    jobs.remove(job.id());
    files.delete(job);
  }

  /** Returns the records of a completed export. */
  public Path records(ExportJob job) {
    return files.records(job);
  }

  /** Returns its manifest, a signed note. */
  public Path manifest(ExportJob job) {
    return files.manifest(job);
  }

  private void keep(ExportJob job) throws IOException {
    files.keep(job);
    jobs.put(job.id(), job);
  }

  private void work() {
    try {
      while (!closing) {
        String id = waiting.poll(LOOK_SECONDS, TimeUnit.SECONDS);
        forget();
        ExportJob job = id == null ? null : jobs.get(id);
        if (job != null) {
          run(job);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void forget() {
    Instant before = clock.instant().minus(KEPT);
    for (ExportJob job : List.copyOf(jobs.values())) {
      if (job.finishedAt().filter(at -> at.isBefore(before)).isPresent()) {
        try {
          remove(job);
        } catch (UncheckedIOException e) {
          LOG.warn("an old export cannot be deleted: {}", e.getMessage());
        }
      }
    }
  }

  private void run(ExportJob job) {
    try {
      Path part = files.part(job);
      ExportedLines before = ExportedLines.whole(part);
      var export =
          new RecordExport(log, new Tenant.One(job.org()), filter(job.chosen()), _ -> true);
      OwnerOnly.file(part);
      try (OutputStream out =
          new BufferedOutputStream(
              Files.newOutputStream(part, StandardOpenOption.APPEND), 64 * 1024)) {
        export.write(out, job.format(), before.last(), job.size(), place -> reached(job, place));
      }
      finish(job, part);
    } catch (InterruptedIOException _) {
      LOG.debug("an export was ended before it was done");
    } catch (IOException | RuntimeException e) {
      LOG.warn("an export failed: {}", e.getMessage());
      if (!closing) { // otherwise it continues after the next start
        failed(job);
      }
    }
  }

  private void reached(ExportJob job, long place) throws IOException {
    @Nullable ExportJob now = jobs.computeIfPresent(job.id(), (_, known) -> known.reached(place));
    if (closing || now == null) {
      throw new InterruptedIOException();
    }
    if (files.free() < LEAST_FREE) {
      throw new IOException("the disk is too full");
    }
  }

  private void finish(ExportJob job, Path part) throws IOException {
    ExportedLines lines = ExportedLines.whole(part);
    OwnerOnly.file(part);
    var manifest =
        new ExportManifest(
            checkpoints.origin(),
            job.selection(),
            lines.records(),
            job.size(),
            new Tree(tree.nodes(), job.size()).root(),
            ExportManifest.digest(part));
    OwnerOnly.write(manifest(job), manifest.signed(keys.get()));
    Files.move(part, records(job), StandardCopyOption.ATOMIC_MOVE);
    if (jobs.containsKey(job.id())) {
      keep(job.done(lines.records(), Files.size(records(job)), clock.instant()));
    } else {
      remove(job); // it was removed meanwhile
    }
  }

  private void failed(ExportJob job) {
    try {
      Files.deleteIfExists(files.part(job));
      if (jobs.containsKey(job.id())) {
        keep(job.failed(clock.instant()));
      }
    } catch (IOException e) {
      jobs.computeIfPresent(job.id(), (_, known) -> known.failed(clock.instant()));
      LOG.warn("a failed export cannot be tidied up: {}", e.getMessage());
    }
  }

  /** Stops the current export, which continues after the next start. */
  @Override
  public void close() {
    closing = true;
    waiting.add(""); // wakes the thread; an interrupt would break the file it writes
    thread.awaitEnd();
  }
}
