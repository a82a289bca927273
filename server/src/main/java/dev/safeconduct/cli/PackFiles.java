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
        packs.addAll(folder(path));
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

  /** Reads the packs at a path; a file that is not one of cases is meant as a pack. */
  static List<PackFile> packs(Path path) throws Unreadable {
    if (Files.isDirectory(path)) {
      return folder(path);
    }
    byte[] bytes = bytes(path);
    if (!isPack(bytes) && isCases(bytes)) {
      throw new Unreadable(path, "these are cases; check takes packs");
    }
    return List.of(pack(path, bytes));
  }

  /** Reads one pack from a file or its folder. */
  static PackFile pack(Path path) throws Unreadable {
    Path file = Files.isDirectory(path) ? path.resolve("policy.json") : path;
    return pack(file, bytes(file));
  }

  private static List<PackFile> folder(Path folder) throws Unreadable {
    Path own = folder.resolve("policy.json");
    if (Files.exists(own)) {
      return List.of(pack(own, bytes(own)));
    }
    var packs = new ArrayList<PackFile>();
    for (Path inner : listed(folder)) {
      Path file = inner.resolve("policy.json");
      if (Files.exists(file)) {
        packs.add(pack(file, bytes(file)));
      }
    }
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
      List<PolicyCase> cases = CaseReader.read(bytes);
      if (cases.isEmpty()) {
        // A run that tests nothing must not look like one that passed.
        throw new Unreadable(file, "there are no cases; write at least one, or remove the file");
      }
      return new CaseFile(file, cases);
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
