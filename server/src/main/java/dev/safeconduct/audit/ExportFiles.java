package dev.safeconduct.audit;

import dev.safeconduct.config.DurableFile;
import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of exports: state, records, and a manifest once the records are complete. */
record ExportFiles(Path folder) {
  private static final Logger LOG = LoggerFactory.getLogger(ExportFiles.class);

  /** Returns the stored exports, including those of an earlier process. */
  List<ExportJob> all() {
    var jobs = new ArrayList<ExportJob>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        files
            .filter(file -> file.toString().endsWith(".json"))
            .forEach(file -> read(file).ifPresent(jobs::add));
      } catch (IOException e) {
        LOG.warn("the exports cannot be listed: {}", e.getMessage());
      }
    }
    return jobs;
  }

  private Optional<ExportJob> read(Path file) {
    try {
      return ExportJob.parse(Json.parseObject(Files.readAllBytes(file)))
          .filter(job -> file.equals(file(job, ".json")));
    } catch (IOException | JsonFault e) {
      LOG.warn("an export cannot be taken up: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /** Returns the free bytes on the disk; creates the folder if necessary. */
  long free() throws IOException {
    OwnerOnly.make(folder);
    return folder.toFile().getUsableSpace();
  }

  void keep(ExportJob job) throws IOException {
    DurableFile.write(file(job, ".json"), Json.text(job.json()));
  }

  private Path file(ExportJob job, String suffix) {
    return folder.resolve(job.id() + suffix);
  }

  /** Returns the file of the records written so far. */
  Path part(ExportJob job) {
    return file(job, ".part");
  }

  Path records(ExportJob job) {
    return file(job, "." + job.format().name().toLowerCase(Locale.ROOT));
  }

  Path manifest(ExportJob job) {
    return file(job, ".manifest");
  }

  void delete(ExportJob job) {
    try {
      for (Path file : List.of(file(job, ".json"), part(job), records(job), manifest(job))) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
