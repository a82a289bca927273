package dev.safeconduct;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.RecordExport;
import dev.safeconduct.audit.tlog.SignedNote;
import dev.safeconduct.audit.tlog.Tree;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.store.LogReader;
import dev.safeconduct.store.StoreConfig;
import dev.safeconduct.store.StoreFault;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes records of the audit log to a file. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Write records of DATA_DIR or DATABASE_URL, of a running or a stopped service, to a file, and"
          + " beside it FILE.manifest, signed by the log's key. An export that broke off goes on"
          + " where it was when the same command is given again.",
      "Exit status: 0 exported, 2 could not be."
    })
final class ExportCommand implements Callable<Integer> {
  private static final int EXIT_UNREADABLE = 2;

  /** In what an export of either format begins or holds its place. */
  private static final Pattern PLACE = Pattern.compile("^(\\d+),|\"log_index\":(\\d+)[,}]");

  @Option(names = "--out", required = true, paramLabel = "FILE", description = "Where to.")
  private Path out = Path.of("");

  @Option(names = "--format", defaultValue = "ndjson", description = "ndjson (default) or csv.")
  private String format = "ndjson";

  @Option(names = "--org", paramLabel = "ORG_ID", description = "Only this organization's.")
  private @Nullable String org;

  @Option(names = "--agent", paramLabel = "AGENT_ID", description = "Only of this agent.")
  private @Nullable String agent;

  @Option(names = "--policy", paramLabel = "POLICY_ID", description = "Only by this pack.")
  private @Nullable String policy;

  @Option(names = "--kind", description = "Only of this kind, for example decision.")
  private @Nullable String kind;

  @Option(names = "--from", paramLabel = "TIME", description = "Not before (ISO 8601).")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Before (ISO 8601).")
  private @Nullable String to;

  private final Supplier<Env> environment;

  /** As the command line makes it. */
  ExportCommand() {
    this(Main::environment);
  }

  /** With other settings than the environment's. */
  ExportCommand(Supplier<Env> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    try {
      return run(environment.get());
    } catch (ProblemException e) {
      System.err.println("These options do not fit: " + e.problem().message());
    } catch (ConfigFault | StoreFault | WrongMasterKeyException | IOException e) {
      System.err.println("The log cannot be exported: " + e.getMessage());
    }
    return EXIT_UNREADABLE;
  }

  private int run(Env env) throws ConfigFault, IOException, WrongMasterKeyException {
    Optional<String> url = env.string("DATABASE_URL");
    Path folder = Path.of(env.string("DATA_DIR", "./data"));
    MasterKeySource source = MasterKeySource.from(env, folder);
    env.check();
    Map<String, String> chosen = chosen();
    AuditFilter filter = AuditFilter.parse(name -> Optional.ofNullable(chosen.get(name)));
    Optional<RecordExport.Format> parsed = RecordExport.Format.parse(format);
    if (parsed.isEmpty() || Files.exists(out)) {
      System.err.println(
          parsed.isEmpty() ? "The format is ndjson or csv." : out + " is there already.");
      return EXIT_UNREADABLE;
    }
    MasterKey master = source.open(new SecureRandom());
    try (LogReader reader =
        LogReader.open(
            url.map(StoreConfig::postgres).orElseGet(() -> StoreConfig.sqlite(folder)))) {
      List<Signer> signers = KeyRing.logSigners(reader.keys(), master, Ed25519.fastest());
      String origin = LogOrigin.kept(reader).orElseThrow(() -> new IOException("it has no name"));
      long size = reader.size();
      Path part = out.resolveSibling(out.getFileName() + ".part");
      Lines before = Lines.whole(part);
      var export =
          new RecordExport(
              reader.records(),
              org == null ? new Tenant.Everyone() : new Tenant.One(new OrgId(org)),
              filter,
              _ -> true);
      try (OutputStream file =
          new BufferedOutputStream(
              Files.newOutputStream(part, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
              64 * 1024)) {
        export.write(file, parsed.get(), before.last(), size);
      }
      Lines after = Lines.whole(part);
      var manifest =
          new ExportManifest(
              origin,
              format + " " + String.join(" ", shown(chosen)),
              after.records(),
              size,
              new Tree(reader.nodes(), size).root(),
              ExportManifest.digest(part));
      Files.writeString(
          out.resolveSibling(out.getFileName() + ".manifest"), signed(manifest, signers));
      Files.move(part, out);
      System.out.println(
          after.records()
              + " records of a log of "
              + size
              + " to "
              + out
              + " and "
              + out
              + ".manifest");
      return 0;
    }
  }

  private static String signed(ExportManifest manifest, List<Signer> signers) {
    var unsigned = new SignedNote(manifest.text(), List.of());
    var lines = new ArrayList<SignedNote.Line>();
    for (Signer signer : signers) {
      byte[] hash = SignedNote.keyHash(manifest.origin(), SignedNote.ED25519, signer.publicKey());
      lines.add(new SignedNote.Line(manifest.origin(), hash, signer.sign(unsigned.signedBytes())));
    }
    return new SignedNote(manifest.text(), lines).encoded();
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

  /**
   * What a file of an export holds.
   *
   * @param records how many lines with records
   * @param last the place of the last of them; -1 when the file is empty
   */
  private record Lines(long records, long last) {
    /** Looks through the file; a last line that broke off is cut away. */
    static Lines whole(Path file) throws IOException {
      if (!Files.exists(file)) {
        return new Lines(0, -1);
      }
      long end = 0;
      long at = 0;
      long records = 0;
      long last = -1;
      var line = new java.io.ByteArrayOutputStream();
      try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 64 * 1024)) {
        for (int next = in.read(); next >= 0; next = in.read()) {
          at++;
          if (next != '\n') {
            line.write(next);
            continue;
          }
          end = at;
          Matcher place = PLACE.matcher(line.toString(StandardCharsets.UTF_8));
          if (place.find()) {
            records++;
            last = Long.parseLong(place.group(1) == null ? place.group(2) : place.group(1));
          }
          line.reset();
        }
      }
      if (end < at) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.truncate(end);
        }
      }
      if (records == 0 && end > 0) {
        Files.delete(file); // a head line alone is written again
      }
      return new Lines(records, last);
    }
  }
}
