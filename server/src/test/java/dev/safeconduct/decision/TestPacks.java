package dev.safeconduct.decision;

import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.decision.url.Url;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.lint.PackLint;
import dev.safeconduct.policy.schema.StringFormats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Packs as the service reads them. */
public final class TestPacks {
  private static final PackReader READER =
      new PackReader(
          Validators.all().keySet(),
          new StringFormats(
              Map.of(
                  "http-url",
                  text -> Url.parse(text, Url.WEB).isPresent(),
                  "file-path",
                  PathForms::isClean)),
          PackLint::check);

  private TestPacks() {}

  public static PolicyPack read(Path folder) throws Exception {
    return READER.read(Json.parseObject(Files.readAllBytes(folder.resolve("policy.json"))));
  }

  public static PolicyPack builtIn(String id) throws Exception {
    return read(Path.of("policies", id));
  }

  /** Returns the agent with this passport, asking by the pack. */
  public static DecisionRequest.Agent agent(
      JsonObject passport, PolicyPack pack, boolean templateActive) {
    JudgedPassport judged = JudgedPassport.of(passport);
    return new DecisionRequest.Agent(
        judged,
        pack,
        CompiledPermissions.of(judged.permissions(), pack),
        templateActive,
        List.of("test", "org", "agent", pack.id().value()));
  }

  public static PolicyPack parse(String json) throws Exception {
    return READER.read((JsonObject) Json.parse(json));
  }
}
