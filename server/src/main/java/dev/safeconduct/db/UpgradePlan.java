package dev.safeconduct.db;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;

/**
 * What the next start of this program will do to a database.
 *
 * @param schema the version of the tables in the database
 * @param steps the migrations that are pending, in their order
 * @param rewrittenBytes the size of what they rewrite, at most; 0 if they rewrite nothing
 * @param freeBytes the space that is left where the database is; empty if it is on a server
 */
public record UpgradePlan(
    String schema, List<Step> steps, long rewrittenBytes, OptionalLong freeBytes) {
  /**
   * One migration.
   *
   * @param summary what it does, in a sentence
   * @param rewrites the tables of which it changes or indexes every row
   * @param settings settings that went or changed their meaning with it, each in a sentence
   */
  public record Step(String version, String summary, List<String> rewrites, List<String> settings) {
    private static final String REWRITES = "Rewrites:";
    private static final String SETTING = "Setting ";

    /** Reads the comment at the beginning of a migration. */
    static Step of(String version, String script) {
      var summary = new StringBuilder();
      var rewrites = new ArrayList<String>();
      var settings = new ArrayList<String>();
      for (String line : script.lines().takeWhile(each -> each.startsWith("--")).toList()) {
        String text = line.substring(2).strip();
        if (text.startsWith(REWRITES)) {
          String[] tables = text.substring(REWRITES.length()).split(",", -1);
          Arrays.stream(tables).map(String::strip).forEach(rewrites::add);
        } else if (text.startsWith(SETTING)) {
          settings.add(text.substring(SETTING.length()));
        } else {
          summary.append(summary.isEmpty() ? "" : " ").append(text);
        }
      }
      int end = summary.indexOf(". ");
      return new Step(
          version,
          end < 0 ? summary.toString() : summary.substring(0, end + 1),
          List.copyOf(rewrites),
          List.copyOf(settings));
    }
  }

  /** Returns the version of the tables after the upgrade. */
  public String target() {
    return steps.isEmpty() ? schema : steps.getLast().version();
  }

  /** Returns the space that is needed at most: the log of the transaction, and new indexes. */
  public long neededBytes() {
    return 2 * rewrittenBytes;
  }

  /** Returns whether the space that is needed at most is more than what is known to be free. */
  public boolean lacksSpace() {
    return freeBytes.isPresent() && freeBytes.getAsLong() < neededBytes();
  }

  /**
   * Reads a database, which a service may be using, and changes nothing.
   *
   * @throws StoreFault when there is none, it cannot be read, it is newer than this program, or
   *     other migrations made it
   */
  public static UpgradePlan of(StoreConfig config) {
    return of(config, Migrations.folder(config));
  }

  static UpgradePlan of(StoreConfig config, String... folders) {
    try (HikariDataSource source = Database.unchecked(config)) {
      var migrations = new Migrations(source, folders);
      MigrationInfoService info = migrations.read();
      MigrationInfo current = info.current();
      if (current == null) {
        throw new StoreFault("There are no tables of Safeconduct in the database.");
      }
      migrations.validate();
      List<Step> steps =
          Arrays.stream(info.pending())
              .map(each -> Step.of(each.getVersion().toString(), script(each, folders)))
              .toList();
      var rewritten = new TreeSet<String>();
      steps.forEach(step -> rewritten.addAll(step.rewrites()));
      return new UpgradePlan(
          current.getVersion().toString(),
          steps,
          rewritten.isEmpty() ? 0 : bytes(config, source, rewritten),
          free(config));
    }
  }

  private static String script(MigrationInfo migration, String... folders) {
    for (String folder : folders) {
      String name = "/" + folder + "/" + migration.getScript();
      try (InputStream in = UpgradePlan.class.getResourceAsStream(name)) {
        if (in != null) {
          return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw new IllegalStateException(migration.getScript() + " is missing");
  }

  /** SQLite has no quick answer for one table, so there it is the size of the whole file. */
  private static long bytes(StoreConfig config, HikariDataSource source, TreeSet<String> tables) {
    var reads = new Reads(source, new Availability());
    return switch (config) {
      case StoreConfig.Sqlite _ ->
          reads.number(
              Sql.of("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"));
      case StoreConfig.Postgres _ ->
          tables.stream()
              .mapToLong(table ->
                  reads.number(
                      Sql.of(
                          "SELECT coalesce(pg_total_relation_size(to_regclass(:name)), 0)", table)))
              .sum();
    };
  }

  private static OptionalLong free(StoreConfig config) {
    return switch (config) {
      case StoreConfig.Sqlite sqlite -> OptionalLong.of(sqlite.dataDir().toFile().getUsableSpace());
      case StoreConfig.Postgres _ -> OptionalLong.empty();
    };
  }
}
