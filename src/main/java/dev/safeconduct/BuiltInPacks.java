package dev.safeconduct;

import dev.safeconduct.decision.Validators;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.url.Url;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.schema.Formats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The packs that ship with the service: every {@code policies/<id>/policy.json} beside the code.
 */
final class BuiltInPacks {
  private BuiltInPacks() {}

  /** Reads packs with all validators and formats there are. */
  static PackReader reader() {
    return new PackReader(
        Validators.all().keySet(),
        new Formats(
            Map.of(
                "http-url",
                text -> Url.parse(text, Url.WEB).isPresent(),
                "file-path",
                PathForms::isClean)));
  }

  /**
   * Reads and checks them all.
   *
   * @throws IllegalStateException listing every fault of every pack
   */
  static PolicyCatalog load(PackReader reader) {
    var packs = new ArrayList<PolicyPack>();
    var faults = new ArrayList<String>();
    try {
      Path code =
          Path.of(BuiltInPacks.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(code)) {
        readAll(code.resolve("policies"), reader, packs, faults);
      } else {
        try (FileSystem jar =
            FileSystems.newFileSystem(URI.create("jar:" + code.toUri()), Map.of())) {
          readAll(jar.getPath("/policies"), reader, packs, faults);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    if (!faults.isEmpty()) {
      throw new IllegalStateException(
          "Policy packs that cannot be used:\n" + String.join("\n", faults));
    }
    return new PolicyCatalog(packs);
  }

  private static void readAll(
      Path folder, PackReader reader, List<PolicyPack> packs, List<String> faults)
      throws IOException {
    try (Stream<Path> folders = Files.list(folder)) {
      for (Path file : folders.map(pack -> pack.resolve("policy.json")).sorted().toList()) {
        if (!Files.exists(file)) {
          continue;
        }
        try {
          packs.add(reader.read(Json.parseObject(Files.readAllBytes(file))));
        } catch (JsonFault e) {
          faults.add(file + ": " + e.getMessage());
        } catch (PackFault e) {
          e.lines().forEach(fault -> faults.add(file + ": " + fault));
        }
      }
    }
  }
}
