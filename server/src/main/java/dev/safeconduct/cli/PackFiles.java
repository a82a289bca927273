package dev.safeconduct.cli;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.simulate.CaseReader;
import dev.safeconduct.simulate.PolicyCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The packs and cases that the command's arguments name. */
record PackFiles(List<PackFile> packs, List<CaseFile> cases) {
  /** A pack as a file contains it, with the cases in its folder. */
  record PackFile(Path file, JsonObject document, List<CaseFile> cases) {}

  /** Cases as a file contains them. */
  record CaseFile(Path file, List<PolicyCase> cases) {}

  /** A file that cannot be read, or contains neither a pack nor cases. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreadable(Path file, String why) {
      super(file + ": " + why, null, false, false);
    }
  }

  /** Reads the files that the paths name: packs, folders of packs, and files of cases. */
  static PackFiles read(List<Path> paths) throws Unreadable {
    var packs = new ArrayList<PackFile>();
    var cases = new ArrayList<CaseFile>();
    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        for (Path file : folder(path)) {
          packs.add(pack(file, bytes(file)));
        }
      } else {
        byte[] bytes = bytes(path);
        if (isPack(bytes)) {
          packs.add(pack(path, bytes));
        } else {
          cases.add(cases(path, bytes));
        }
      }
    }
    return new PackFiles(packs, cases);
  }

  /** Refuses a file without cases: a run that tests nothing must not look like one that passed. */
  void demandCases() throws Unreadable {
    var all = new ArrayList<>(cases);
    packs.forEach(pack -> all.addAll(pack.cases()));
    for (CaseFile file : all) {
      if (file.cases().isEmpty()) {
        throw new Unreadable(
            file.file(), "there are no cases; write at least one, or remove the file");
      }
    }
  }

  /** Returns the files of packs at a path, which may be a folder. */
  static List<Path> files(Path path) throws Unreadable {
    return Files.isDirectory(path) ? folder(path) : List.of(path);
  }

  /** Reads a file as a pack, unless it is one of cases. */
  static PackFile packAt(Path file) throws Unreadable {
    byte[] bytes = bytes(file);
    if (!isPack(bytes) && isCases(bytes)) {
      throw new Unreadable(file, "these are cases; check takes packs");
    }
    return pack(file, bytes);
  }

  /** Reads one pack from a file or its folder. */
  static PackFile pack(Path path) throws Unreadable {
    Path file = Files.isDirectory(path) ? path.resolve("policy.json") : path;
    return pack(file, bytes(file));
  }

  private static List<Path> folder(Path folder) throws Unreadable {
    Path own = folder.resolve("policy.json");
    if (Files.exists(own)) {
      return List.of(own);
    }
    List<Path> packs =
        listed(folder).stream()
            .map(inner -> inner.resolve("policy.json"))
            .filter(Files::exists)
            .toList();
    if (packs.isEmpty()) {
      throw new Unreadable(
          folder, "there is no policy.json in this folder or in a folder below it");
    }
    return packs;
  }

  /** Returns whether the document has the members that only packs have. */
  private static boolean isPack(byte[] bytes) {
    try {
      return Json.parse(bytes) instanceof JsonObject one
          && (one.has("requires_capabilities") || one.has("evaluation_rules"));
    } catch (JsonFault e) {
      return false;
    }
  }

  private static boolean isCases(byte[] bytes) {
    try {
      return !CaseReader.read(bytes).isEmpty();
    } catch (CaseReader.CaseFault e) {
      return false;
    }
  }

  private static PackFile pack(Path file, byte[] bytes) throws Unreadable {
    JsonObject document;
    try {
      document = Json.parseObject(bytes);
    } catch (JsonFault e) {
      throw new Unreadable(file, e.about("The file"));
    }
    var cases = new ArrayList<CaseFile>();
    Path beside = file.resolveSibling("cases");
    if (String.valueOf(file.getFileName()).equals("policy.json") && Files.isDirectory(beside)) {
      for (Path one : listed(beside)) {
        if (one.toString().endsWith(".json") || one.toString().endsWith(".jsonl")) {
          cases.add(cases(one, bytes(one)));
        }
      }
    }
    return new PackFile(file, document, cases);
  }

  private static CaseFile cases(Path file, byte[] bytes) throws Unreadable {
    try {
      return new CaseFile(file, CaseReader.read(bytes));
    } catch (CaseReader.CaseFault e) {
      throw new Unreadable(file, String.valueOf(e.getMessage()));
    }
  }

  private static List<Path> listed(Path folder) throws Unreadable {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new Unreadable(folder, "the folder cannot be listed: " + e.getMessage());
    }
  }

  private static byte[] bytes(Path file) throws Unreadable {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new Unreadable(
          file,
          Files.exists(file)
              ? "the file cannot be read: " + e.getMessage()
              : "there is no such file");
    }
  }
}
