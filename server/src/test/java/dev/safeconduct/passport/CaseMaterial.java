package dev.safeconduct.passport;

import dev.safeconduct.decision.TestPacks;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The passports and contexts of a pack's own cases, to make others of. */
record CaseMaterial(PolicyPack pack, List<JsonObject> passports, List<JsonObject> contexts) {
  private static final Path POLICIES = Path.of("policies");

  /** That of every pack. */
  static List<CaseMaterial> all() {
    try (Stream<Path> folders = Files.list(POLICIES)) {
      var all = new ArrayList<CaseMaterial>();
      for (Path folder : folders.sorted().toList()) {
        if (Files.exists(folder.resolve("policy.json"))) {
          all.add(read(folder));
        }
      }
      return all;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static CaseMaterial read(Path folder) throws Exception {
    var passports = new ArrayList<JsonObject>();
    var contexts = new ArrayList<JsonObject>();
    try (Stream<Path> files = Files.list(folder.resolve("cases"))) {
      for (Path file : files.sorted().toList()) {
        for (JsonValue each : (JsonArray) Json.parse(Files.readAllBytes(file))) {
          JsonObject one = (JsonObject) each;
          JsonObject passport = one.object("passport").orElseThrow();
          passports.add(passport.with("status", new JsonString("active")));
          for (JsonValue step : one.array("steps").orElseThrow()) {
            contexts.add(((JsonObject) step).object("context").orElseThrow());
          }
        }
      }
    }
    return new CaseMaterial(TestPacks.read(folder), passports, contexts);
  }
}
