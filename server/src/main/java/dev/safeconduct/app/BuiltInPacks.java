package dev.safeconduct.app;

import dev.safeconduct.config.CodeLocation;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.decision.url.Url;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.lint.PackLint;
import dev.safeconduct.policy.schema.StringFormats;
import dev.safeconduct.simulate.CaseReader;
import dev.safeconduct.simulate.PolicyCase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The packs that ship with the service: every {@code policies/<id>/policy.json} in the jar. */
public final class BuiltInPacks {
  /** The packs of this process, read at the first use; they do not change while it runs. */
  private static final class Loaded {
    static final PolicyCatalog CATALOG = load(reader());

    private Loaded() {}
  }

  private BuiltInPacks() {}

  /**
   * Returns the built-in packs, read and checked at the first call: many services may start in one
   * process.
   */
  public static PolicyCatalog catalog() {
    return Loaded.CATALOG;
  }

  /** Returns a reader that knows all validators and formats. */
  public static PackReader reader() {
    return new PackReader(
        Validators.all().keySet(),
        new StringFormats(
            Map.of(
                "http-url",
                text -> Url.parse(text, Url.WEB).isPresent(),
                "file-path",
                PathForms::isClean)),
        PackLint::check);
  }

  /**
   * Reads and checks all built-in packs.
   *
   * @throws IllegalStateException listing every fault of every pack
   */
  public static PolicyCatalog load(PackReader reader) {
    var packs = new ArrayList<PolicyPack>();
    var faults = new ArrayList<String>();
    inFolder(folder -> readAll(folder, reader, packs, faults));
    if (!faults.isEmpty()) {
      throw new IllegalStateException(
          "Policy packs that cannot be used:\n" + String.join("\n", faults));
    }
    return new PolicyCatalog(packs);
  }

  /**
   * Returns the cases that ship with the pack; empty for a pack that is not built in.
   *
   * @throws IllegalStateException when the cases cannot be read, which a test rules out
   */
  static List<PolicyCase> cases(PolicyId id) {
    var cases = new ArrayList<PolicyCase>();
    inFolder(folder -> {
      Path beside = folder.resolve(id.value()).resolve("cases");
      if (!beside.normalize().startsWith(folder) || !Files.isDirectory(beside)) {
        return;
      }
      try (Stream<Path> files = Files.list(beside)) {
        for (Path file : files.sorted().toList()) {
          cases.addAll(CaseReader.read(Files.readAllBytes(file)));
        }
      } catch (CaseReader.CaseFault e) {
        throw new IllegalStateException("the cases of " + id + " cannot be read", e);
      }
    });
    return cases;
  }

  /** An operation on the folder of all packs. */
  private interface Task {
    void in(Path folder) throws IOException;
  }

  private static void inFolder(Task work) {
    try {
      Path code = CodeLocation.path();
      if (Files.isDirectory(code)) {
        work.in(code.resolve("policies"));
      } else {
        try (FileSystem jar =
            FileSystems.newFileSystem(URI.create("jar:" + code.toUri()), Map.of())) {
          work.in(jar.getPath("/policies"));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
