package dev.safeconduct.cli;

import dev.safeconduct.app.KeyConfig;
import dev.safeconduct.app.LogOrigin;
import dev.safeconduct.app.StorageConfig;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.ExportManifest;
import dev.safeconduct.audit.ExportedLines;
import dev.safeconduct.audit.RecordExport;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.tlog.Tree;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes records of the audit log to a file. */
@Command(
    name = "export",
    description = {
      "Write audit records from DATA_DIR or DATABASE_URL to FILE, and a manifest signed with the"
          + " log's key to FILE.manifest. The service may be running or stopped. Run the same"
          + " command again to continue an interrupted export.",
      "Exit status: 0 exported, 2 failed."
    })
public final class ExportCommand implements Callable<Integer> {
  private static final int EXIT_UNREADABLE = 2;

  @Mixin private Terminal terminal;

  @Option(names = "--out", required = true, paramLabel = "FILE", description = "The output file.")
  private Path out = Path.of("");

  @Option(
      names = "--format",
      defaultValue = "ndjson",
      description = "The format: ndjson (default) or csv.")
  private String format = "ndjson";

  @Option(
      names = "--org",
      paramLabel = "ORG_ID",
      description = "Only records of this organization.")
  private @Nullable String org;

  @Option(names = "--agent", paramLabel = "AGENT_ID", description = "Only records of this agent.")
  private @Nullable String agent;

  @Option(
      names = "--policy",
      paramLabel = "POLICY_ID",
      description = "Only decisions by this policy pack.")
  private @Nullable String policy;

  @Option(names = "--kind", description = "Only records of this kind, for example decision.")
  private @Nullable String kind;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only records from this time on (ISO 8601).")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only records before this time (ISO 8601).")
  private @Nullable String to;

  @Override
  public Integer call() {
    try {
      return run(terminal.env());
    } catch (ProblemException e) {
      terminal.err().println("These options are not valid: " + e.problem().message());
    } catch (ConfigFault
        | StoreFault
        | WrongMasterKeyException
        | IllegalStateException
        | IOException e) {
      terminal.err().println("The log cannot be exported: " + FileFault.shown(e));
    }
    return EXIT_UNREADABLE;
  }

  private int run(Env env) throws ConfigFault, IOException, WrongMasterKeyException {
    StoreConfig store = StorageConfig.database(env);
    KeyConfig keys = KeyConfig.from(env, StorageConfig.dataDir(env));
    env.check();
    Map<String, String> chosen = chosen();
    AuditFilter filter = AuditFilter.parse(name -> Optional.ofNullable(chosen.get(name)));
    filter.from().ifPresent(begin -> filter.to().ifPresent(end -> terminal.checkOrder(begin, end)));
    Optional<RecordExport.Format> parsed = RecordExport.Format.parse(format);
    if (parsed.isEmpty() || Files.exists(out)) {
      terminal
          .err()
          .println(
              parsed.isEmpty() ? "The format must be ndjson or csv." : out + " exists already.");
      return EXIT_UNREADABLE;
    }
    try (LogReader reader = LogReader.open(store);
        PrivateKeys material =
            keys.moduleSigning()
                .material(keys.masterKey(), keys.masterKey().open(true, new SecureRandom()))) {
      Tenant tenant =
          org == null ? new Tenant.Everyone() : new Tenant.One(reader.organization(org));
      var export = new RecordExport(reader.records(), tenant, filter, _ -> true);
      List<Signer> signers = KeyRing.logSigners(reader.keys(), material);
      String origin =
          LogOrigin.kept(reader).orElseThrow(() -> new IOException("the log has no origin yet"));
      Path options = beside(".part.json");
      // Of two that append to one file, the records would be there twice, and signed.
      try (FileChannel alone =
          OwnerOnly.alone(options)
              .orElseThrow(() -> new IOException("another process exports to " + out + " now"))) {
        return write(export, parsed.get(), chosen, reader, origin, signers, alone);
      }
    }
  }

  private int write(
      RecordExport export,
      RecordExport.Format as,
      Map<String, String> chosen,
      LogReader reader,
      String origin,
      List<Signer> signers,
      FileChannel options)
      throws IOException {
    long size = reader.size();
    Path part = beside(".part");
    if (!isOurs(part, options, origin, chosen)) {
      throw new IOException(
          part
              + " belongs to an export with other options, or its options are unknown. Delete it or"
              + " choose another --out.");
    }
    ExportedLines before = ExportedLines.whole(part);
    OwnerOnly.file(part);
    try (OutputStream file =
        new BufferedOutputStream(
            Files.newOutputStream(part, StandardOpenOption.APPEND), 64 * 1024)) {
      export.write(file, as, before.last(), size, _ -> {});
    }
    ExportedLines after = ExportedLines.whole(part);
    var manifest =
        new ExportManifest(
            origin,
            format + " " + String.join(" ", shown(chosen)),
            after.records(),
            size,
            new Tree(reader.nodes(), size).root(),
            ExportManifest.digest(part));
    OwnerOnly.write(beside(".manifest"), manifest.signed(signers));
    Files.move(part, out);
    Files.delete(beside(".part.json"));
    terminal
        .out()
        .printf(
            "%d records of a log of %d to %s and %s%n",
            after.records(), size, out, beside(".manifest"));
    return 0;
  }

  private Path beside(String ending) {
    return out.resolveSibling(out.getFileName() + ending);
  }

  /**
   * Returns whether the partial file is the beginning of this same export, because the manifest is
   * signed for the whole file. For a new partial file, stores the export's parameters next to it.
   */
  private boolean isOurs(Path part, FileChannel options, String origin, Map<String, String> chosen)
      throws IOException {
    if (Files.exists(out)) {
      throw new FileAlreadyExistsException(out.toString());
    }
    JsonObject.Builder selection = JsonObject.builder();
    chosen.forEach(selection::put);
    byte[] ours =
        Json.bytes(
            JsonObject.builder()
                .put("log", origin)
                .put("format", format)
                .put("org_id", org == null ? "*" : org)
                .put("selection", selection.build())
                .build());
    if (Files.exists(part)) {
      return Arrays.equals(Channels.newInputStream(options).readAllBytes(), ours);
    }
    options.truncate(0).write(ByteBuffer.wrap(ours));
    return true;
  }

  private Map<String, String> chosen() {
    var chosen = new LinkedHashMap<String, String>();
    put(chosen, "agent_id", agent);
    put(chosen, "policy_id", policy);
    put(chosen, "kind", kind);
    put(chosen, "from", from);
    put(chosen, "to", to);
    return chosen;
  }

  private static void put(Map<String, String> into, String name, @Nullable String value) {
    if (value != null) {
      into.put(name, value);
    }
  }

  private List<String> shown(Map<String, String> chosen) {
    var words = new ArrayList<String>();
    words.add("org_id=" + (org == null ? "*" : org));
    chosen.forEach((name, value) -> words.add(name + "=" + value.replaceAll("\\s", "_")));
    return words;
  }
}
