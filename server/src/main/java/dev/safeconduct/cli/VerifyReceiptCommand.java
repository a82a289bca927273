package dev.safeconduct.cli;

import dev.safeconduct.audit.ExportManifest;
import dev.safeconduct.audit.verify.ExportedTree;
import dev.safeconduct.audit.verify.InclusionText;
import dev.safeconduct.audit.verify.Receipt;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.tlog.SignedNote;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks a response of the service offline. */
@Command(
    name = "verify-receipt",
    description = {
      "Verify a decision, an audit record or an export manifest offline, with the published keys"
          + " only.",
      "Every file that is given must be shown to be right: with --proof, that the record is in the"
          + " log. What neither a signature nor a proof covers is named in lines 'not checked'. Of an"
          + " NDJSON export of the whole log the root is computed again from its lines.",
      "Exit status: 0 something was verified and nothing is wrong, 1 a check failed or nothing could"
          + " be verified, 2 a file cannot be read."
    })
public final class VerifyReceiptCommand implements Callable<Integer> {
  private static final int EXIT_FAULTS = 1;
  private static final int EXIT_UNREADABLE = 2;

  @Mixin private Terminal terminal;

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

  @Override
  public Integer call() {
    try {
      PublishedKeys published = PublishedKeys.read(keys, Ed25519.fastest());
      String text = GivenFile.text(file);
      if (text.contains("\n\n\u2014 ")) {
        if (proof != null || record != null) {
          terminal.err().println("An export manifest is checked without --proof and --record.");
          return EXIT_FAULTS;
        }
        return manifest(text, published);
      }
      Optional<InclusionText> shown = Optional.empty();
      if (proof != null) {
        shown = InclusionText.parse(GivenFile.text(proof));
        if (shown.isEmpty()) {
          terminal.err().println("The proof cannot be read.");
          return EXIT_UNREADABLE;
        }
      }
      Optional<JsonObject> whole =
          record == null ? Optional.empty() : Optional.of(GivenFile.object(record));
      Receipt.Result result =
          Receipt.check(
              Json.parseObject(text.getBytes(StandardCharsets.UTF_8)), whole, shown, published);
      PrintWriter out = terminal.out();
      result.lines().forEach(out::println);
      out.flush();
      return result.sound() ? 0 : EXIT_FAULTS;
    } catch (JsonFault e) {
      terminal.err().println("This cannot be checked: " + file + ": " + e.about("The file"));
      return EXIT_UNREADABLE;
    } catch (IOException | IllegalArgumentException e) {
      terminal.err().println("This cannot be checked: " + FileFault.shown(e));
      return EXIT_UNREADABLE;
    }
  }

  private int manifest(String text, PublishedKeys published) throws IOException {
    Optional<SignedNote> note = SignedNote.parse(text);
    Optional<ExportManifest> manifest = note.map(SignedNote::text).flatMap(ExportManifest::parse);
    if (note.isEmpty() || manifest.isEmpty()) {
      terminal.err().println("This is not an export manifest.");
      return EXIT_UNREADABLE;
    }
    boolean signed = published.signed(note.get(), manifest.get().origin());
    Path data = file.resolveSibling(file.getFileName().toString().replaceAll("\\.manifest$", ""));
    boolean same = ExportManifest.digest(data).equals(manifest.get().sha256());
    PrintWriter out = terminal.out();
    out.println(
        (signed ? "ok: " : "FAULT, not valid: ") + "the manifest is signed with the log's key");
    out.println((same ? "ok: " : "FAULT, not valid: ") + data + " matches the manifest");
    if (!signed || !same) {
      out.flush();
      return EXIT_FAULTS; // anybody could have written the file, so nothing in it is read
    }
    long size = manifest.get().size();
    boolean all = manifest.get().records() == size;
    boolean complete = all || !manifest.get().selectsAll();
    if (!complete) {
      out.println("FAULT, not valid: an export of the whole log has its " + size + " records");
    } else if (all && manifest.get().selection().startsWith("ndjson ")) {
      complete =
          ExportedTree.root(data)
              .filter(root -> Arrays.equals(root, manifest.get().root()))
              .isPresent();
      out.println(
          (complete ? "ok: " : "FAULT, not valid: ")
              + "its records make the log's root in the manifest");
    } else {
      out.println(
          "not checked: the log's root, which needs all " + size + " records of the log as NDJSON");
    }
    out.flush();
    return complete ? 0 : EXIT_FAULTS;
  }
}
