package dev.safeconduct.app;

import dev.safeconduct.config.CodeLocation;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.decision.url.Url;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.issue.Presets;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.lint.PackLint;
import dev.safeconduct.policy.schema.StringFormats;
import dev.safeconduct.simulate.CaseReader;
import dev.safeconduct.simulate.PolicyCase;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The packs that ship with the service: every {@code policies/<id>/policy.json} in the jar. */
public final class BuiltInPacks {
  /** The packs of this process, read at the first use; they do not change while it runs. */
  private static final class Loaded {
    static final PolicyCatalog CATALOG = load();

    private Loaded() {}
  }

  private BuiltInPacks() {}

  /**
   * Returns the built-in packs, compiled at the first call: many services may start in one process.
   * The tests of this project have checked them for mistakes; a start that did it again would take
   * a fifth longer.
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
   * Reads all built-in packs.
   *
   * @throws IllegalStateException listing every fault of every pack
   */
  private static PolicyCatalog load() {
    PackReader reader = reader();
    var packs = new ArrayList<PolicyPack>();
    var faults = new ArrayList<String>();
    files("policies/", "/policy.json")
        .forEach((file, content) -> {
          try {
            packs.add(reader.compile(Json.parseObject(content)));
          } catch (JsonFault e) {
            faults.add(file + ": " + e.getMessage());
          } catch (PackFault e) {
            e.lines().forEach(fault -> faults.add(file + ": " + fault));
          }
        });
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
    try {
      for (byte[] content : files("policies/" + id.value() + "/cases/", ".json").values()) {
        cases.addAll(CaseReader.read(content));
      }
    } catch (CaseReader.CaseFault e) {
      throw new IllegalStateException("the cases of " + id + " cannot be read", e);
    }
    return cases;
  }

  /**
   * Returns the files of this program whose names start and end so, in the order of their names. A
   * jar is read as the class loader reads it, which has its list of entries already; to open it as
   * a file system would take a tenth of the time to the first response.
   */
  private static SortedMap<String, byte[]> files(String start, String end) {
    Path code = CodeLocation.path();
    var files = new TreeMap<String, byte[]>();
    try {
      if (Files.isDirectory(code)) {
        try (Stream<Path> all = Files.walk(code.resolve("policies"))) {
          for (Path file : all.toList()) {
            String name = code.relativize(file).toString().replace(File.separatorChar, '/');
            if (name.startsWith(start) && name.endsWith(end)) {
              files.put(name, Files.readAllBytes(file));
            }
          }
        }
      } else {
        try (var jar = new JarFile(code.toFile())) {
          for (JarEntry entry : Collections.list(jar.entries())) {
            if (entry.getName().startsWith(start) && entry.getName().endsWith(end)) {
              try (InputStream content = jar.getInputStream(entry)) {
                files.put(entry.getName(), content.readAllBytes());
              }
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /**
   * Returns the template that a file describes by a preset of this release.
   *
   * @throws dev.safeconduct.error.ProblemException 400 if there is no such preset
   */
  public static JsonObject template(Members file) {
    return Presets.builtIn().template(file);
  }
}
