package dev.safeconduct.cli;

import dev.safeconduct.audit.export.ExportManifest;
import dev.safeconduct.audit.verify.InclusionText;
import dev.safeconduct.audit.verify.Receipt;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.tlog.SignedNote;
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

/** Checks a response of the service offline. */
@Command(
    name = "verify-receipt",
    mixinStandardHelpOptions = true,
    description = {
      "Verify a decision, an audit record or an export manifest offline, with the published keys"
          + " only.",
      "Exit status: 0 valid, 1 not valid, 2 a file cannot be read."
    })
public final class VerifyReceiptCommand implements Callable<Integer> {
  private static final int EXIT_FAULTS = 1;
  private static final int EXIT_UNREADABLE = 2;

  @Parameters(
      paramLabel = "FILE",
      description = "A decision (a verify response), an audit record, or an export manifest.")
  private Path file = Path.of("");

  @Option(
      names = "--keys",
      required = true,
      paramLabel = "FILE",
      description = "The key set: the response of GET /jwks.json.")
  private Path keys = Path.of("");

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description = "The decision's audit record: the response of GET /api/audit/{record_id}.")
  private @Nullable Path record;

  @Option(
      names = "--proof",
      paramLabel = "FILE",
      description = "The response of GET /api/audit/{record_id}/proof, or a C2SP tlog-proof.")
  private @Nullable Path proof;

  private final Supplier<PrintWriter> screen;

  /** Creates the command with the standard output. */
  public VerifyReceiptCommand() {
    this(() -> new PrintWriter(System.out, true, StandardCharsets.UTF_8));
  }

  /** Creates the command with another output. */
  public VerifyReceiptCommand(Supplier<PrintWriter> screen) {
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
      System.err.println("This is not an export manifest.");
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
        (signed ? "ok: " : "FAULT, not valid: ") + "the manifest is signed with the log's key");
    out.println((same ? "ok: " : "FAULT, not valid: ") + data + " matches the manifest");
    out.flush();
    return signed && same ? 0 : EXIT_FAULTS;
  }
}
