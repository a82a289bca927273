package dev.safeconduct.cli;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.YamlDocuments;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.simulate.CaseReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Files that describe an organization: YAML and JSON files, and folders with a {@code policy.json},
 * each of which is a pack with its cases.
 */
record DeployFiles(List<Described> all) {
  /** Refers to an environment variable. */
  private static final String FROM_ENV = "from_env";

  /** Files may name environment variables with this prefix. */
  private static final String PREFIX = "SAFECONDUCT_SECRET_";

  /** Members that may come from the environment; the secret must. */
  private static final Set<String> REFERENCES = Set.of("secret", "url");

  private static final String CASES = "cases";
  private static final String DOCUMENT = "document";
  private static final Pattern PLACE = Pattern.compile("resources\\[(\\d{1,6})]\\.?");
  private static final int MOST_DEPTH = 8;

  /**
   * A resource of a file.
   *
   * @param line where its document begins; 0 for a whole file
   * @param cases the cases of a pack
   */
  record Described(Path file, int line, JsonObject resource, List<PackFiles.CaseFile> cases) {
    String place() {
      return line > 1 ? file + ":" + line : file.toString();
    }

    boolean isPack() {
      return resource.string("kind").equals(Optional.of("Pack"));
    }
  }

  /** A file that cannot be read, or a member that is not valid. */
  static final class Invalid extends Exception {
    private static final long serialVersionUID = 1L;

    Invalid(String place, String why) {
      super(place + ": " + why, null, false, false);
    }
  }

  /** Reads a file, or all files of a folder and the folders in it. */
  static DeployFiles read(List<Path> paths) throws Invalid {
    var all = new ArrayList<Described>();
    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        folder(path, 0, all);
      } else {
        file(path, all);
      }
    }
    if (all.isEmpty()) {
      throw new Invalid(paths.getFirst().toString(), "there is nothing that describes an object");
    }
    return new DeployFiles(all);
  }

  private static void folder(Path folder, int depth, List<Described> all) throws Invalid {
    if (Files.exists(folder.resolve("policy.json"))) {
      pack(folder, all);
      return;
    }
    if (depth > MOST_DEPTH) {
      throw new Invalid(folder.toString(), "the folders are nested too deeply");
    }
    try (Stream<Path> listed = Files.list(folder)) {
      for (Path each : listed.sorted().toList()) {
        String name = String.valueOf(each.getFileName());
        if (name.startsWith(".") || Files.isSymbolicLink(each)) {
          continue;
        }
        if (Files.isDirectory(each)) {
          folder(each, depth + 1, all);
        } else if (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json")) {
          file(each, all);
        }
      }
    } catch (IOException e) {
      throw new Invalid(folder.toString(), "the folder cannot be listed");
    }
  }

  private static void pack(Path folder, List<Described> all) throws Invalid {
    try {
      PackFiles.PackFile pack = PackFiles.pack(folder);
      JsonObject resource =
          JsonObject.builder().put("kind", "Pack").put(DOCUMENT, pack.document()).build();
      all.add(new Described(pack.file(), 0, resource, pack.cases()));
    } catch (PackFiles.Unreadable e) {
      throw new Invalid("policy.json", String.valueOf(e.getMessage()));
    }
  }

  private static void file(Path file, List<Described> all) throws Invalid {
    try {
      if (file.toString().endsWith(".json")) {
        add(file, 0, Json.parse(Files.readAllBytes(file)), all);
      } else {
        for (YamlDocuments.Document each : YamlDocuments.read(Files.readString(file))) {
          add(file, each.line(), each.value(), all);
        }
      }
    } catch (CharacterCodingException e) {
      throw new Invalid(file.toString(), "the file is not UTF-8");
    } catch (IOException e) {
      throw new Invalid(
          file.toString(),
          Files.exists(file) ? "the file cannot be read" : "there is no such file");
    } catch (JsonFault e) {
      throw new Invalid(file.toString(), e.about("The file"));
    }
  }

  private static void add(Path file, int line, JsonValue value, List<Described> all)
      throws Invalid {
    String place = line > 1 ? file + ":" + line : file.toString();
    switch (value) {
      case JsonObject resource -> {
        if (resource.string("kind").isEmpty()) {
          throw new Invalid(place, "kind is missing; it is for example Passport");
        }
        List<PackFiles.CaseFile> cases = List.of();
        if (resource.array(CASES).isPresent()) {
          try {
            cases =
                List.of(
                    new PackFiles.CaseFile(
                        file, CaseReader.read(Json.bytes(resource.array(CASES).get()))));
          } catch (CaseReader.CaseFault e) {
            throw new Invalid(place, "cases: " + e.getMessage());
          }
        }
        all.add(new Described(file, line, resource.without(CASES).without("$schema"), cases));
      }
      case JsonArray list when list.size() > 0 -> {
        for (JsonValue each : list) {
          add(file, line, each, all);
        }
      }
      case dev.safeconduct.json.JsonNull _ -> {} // only comments
      default -> throw new Invalid(place, "must be an object with a kind, or a list of such");
    }
  }

  /**
   * Returns the resources with the values that the environment gives. A file may come from anybody
   * who proposes a change, so it cannot name every variable of the pipeline.
   *
   * @param named variables that files may name besides those with the prefix
   */
  JsonArray resources(Env env, Set<String> named) throws Invalid {
    var resources = new ArrayList<JsonValue>();
    for (Described each : all) {
      JsonObject resource = each.resource();
      demandReferences(each);
      for (String name : REFERENCES) {
        Optional<JsonObject> reference = resource.object(name);
        if (reference.isPresent()) {
          String variable = reference.get().string(FROM_ENV).orElseThrow();
          if (!variable.startsWith(PREFIX) && !named.contains(variable)) {
            throw new Invalid(
                each.place(),
                name
                    + ": the name of an environment variable begins with "
                    + PREFIX
                    + ", or --env names it; "
                    + variable
                    + " does not");
          }
          String value =
              env.string(variable)
                  .filter(text -> !text.isEmpty())
                  .orElseThrow(() ->
                      new Invalid(
                          each.place(),
                          name + ": the environment variable " + variable + " is not set"));
          resource = resource.with(name, new JsonString(value));
        }
      }
      resources.add(resource);
    }
    return new JsonArray(resources);
  }

  /** Refuses a secret in the file itself, and references elsewhere. */
  void demandReferences(Described each) throws Invalid {
    JsonObject resource = each.resource();
    if (resource.string("secret").isPresent()) {
      throw new Invalid(
          each.place(), "secret must be {from_env: NAME}; a file never holds a secret");
    }
    for (String name : resource.names()) {
      Optional<JsonObject> value = resource.object(name);
      boolean reference = value.filter(object -> object.has(FROM_ENV)).isPresent();
      boolean valid =
          reference && value.get().size() == 1 && value.get().string(FROM_ENV).isPresent();
      if (REFERENCES.contains(name) ? value.isPresent() && !valid : reference) {
        throw new Invalid(
            each.place(),
            REFERENCES.contains(name)
                ? name + " must be {from_env: NAME}"
                : name + " cannot come from the environment; only secret and url can");
      }
    }
  }

  /** Returns the packs and their cases. */
  PackFiles packs() {
    return new PackFiles(
        all.stream()
            .filter(Described::isPack)
            .map(each ->
                new PackFiles.PackFile(each.file(), each.resource().child(DOCUMENT), each.cases()))
            .toList(),
        List.of());
  }

  /** Returns the service's message with files in place of {@code resources[…]}. */
  String located(String message) {
    return PLACE
        .matcher(message)
        .replaceAll((MatchResult found) -> {
          int index = Integer.parseInt(found.group(1));
          return Matcher.quoteReplacement(
              index < all.size() ? all.get(index).place() + " " : found.group());
        });
  }
}
