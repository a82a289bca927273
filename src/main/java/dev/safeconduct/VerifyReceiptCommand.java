package dev.safeconduct;

import dev.safeconduct.audit.ExportManifest;
import dev.safeconduct.audit.InclusionText;
import dev.safeconduct.audit.Receipt;
import dev.safeconduct.audit.tlog.SignedNote;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Ed25519;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks what the service answered, without the service. */
@Command(
    name = "verify-receipt",
    mixinStandardHelpOptions = true,
    description = {
      "Check a decision, a record of the audit log or the manifest of an export with nothing but the"
          + " published keys.",
      "Exit status: 0 everything checked is right, 1 something is not, 2 cannot be read."
    })
final class VerifyReceiptCommand implements Callable<Integer> {
  private static final int EXIT_FAULTS = 1;
  private static final int EXIT_UNREADABLE = 2;

  @Parameters(
      paramLabel = "FILE",
      description = "A decision as any call answers it, a record, or an export's manifest.")
  private Path file = Path.of("");

  @Option(
      names = "--keys",
      required = true,
      paramLabel = "FILE",
      description = "The key set: what GET /jwks.json answered.")
  private Path keys = Path.of("");

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description = "The decision's record: what GET /api/audit/{record_id} answered.")
  private @Nullable Path record;

  @Option(
      names = "--proof",
      paramLabel = "FILE",
      description = "What GET /api/audit/{record_id}/proof answered, or a C2SP tlog-proof.")
  private @Nullable Path proof;

  private final Supplier<PrintWriter> screen;

  /** As the command line makes it. */
  VerifyReceiptCommand() {
    this(() -> new PrintWriter(System.out, true, StandardCharsets.UTF_8));
  }

  /** Writes what it finds elsewhere. */
  VerifyReceiptCommand(Supplier<PrintWriter> screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    try {
      PublishedKeys published = PublishedKeys.of(Files.readAllBytes(keys), Ed25519.fastest());
      String text = Files.readString(file, StandardCharsets.UTF_8);
      if (text.contains("\n\n\u2014 ")) {
        return manifest(text, published);
      }
      Optional<InclusionText> shown = Optional.empty();
      if (proof != null) {
        shown = InclusionText.parse(Files.readString(proof, StandardCharsets.UTF_8));
        if (shown.isEmpty()) {
          System.err.println("The proof cannot be read.");
          return EXIT_UNREADABLE;
        }
      }
      Optional<JsonObject> whole =
          record == null
              ? Optional.empty()
              : Optional.of(Json.parseObject(Files.readAllBytes(record)));
      Receipt.Result result =
          Receipt.check(
              Json.parseObject(text.getBytes(StandardCharsets.UTF_8)), whole, shown, published);
      PrintWriter out = screen.get();
      result.lines().forEach(out::println);
      out.flush();
      return result.sound() ? 0 : EXIT_FAULTS;
    } catch (IOException | JsonFault | IllegalArgumentException e) {
      System.err.println("This cannot be checked: " + e.getMessage());
      return EXIT_UNREADABLE;
    }
  }

  private int manifest(String text, PublishedKeys published) throws IOException {
    Optional<SignedNote> note = SignedNote.parse(text);
    Optional<ExportManifest> manifest = note.map(SignedNote::text).flatMap(ExportManifest::parse);
    if (note.isEmpty() || manifest.isEmpty()) {
      System.err.println("This is not the manifest of an export.");
      return EXIT_UNREADABLE;
    }
    boolean signed =
        note.get().lines().stream()
            .anyMatch(line ->
                published.checkpoint(
                    line.name(), line.keyHash(), note.get().signedBytes(), line.signature()));
    Path data = file.resolveSibling(file.getFileName().toString().replaceAll("\\.manifest$", ""));
    boolean same = ExportManifest.digest(data).equals(manifest.get().sha256());
    PrintWriter out = screen.get();
    out.println(
        (signed ? "ok: " : "FAULT, this does not hold: ")
            + "the manifest is signed by the log's key");
    out.println((same ? "ok: " : "FAULT, this does not hold: ") + data + " is what was exported");
    out.flush();
    return signed && same ? 0 : EXIT_FAULTS;
  }
}
