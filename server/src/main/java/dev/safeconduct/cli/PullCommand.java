package dev.safeconduct.cli;

import dev.safeconduct.config.FileFault;
import dev.safeconduct.config.YamlDocuments;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes an organization as files. */
@Command(
    name = "pull",
    aliases = "export",
    exitCodeOnInvalidInput = DeployOptions.FAULT,
    description = {
      "Write what an organization of the running service has as files, which plan calls unchanged."
          + " The secrets of webhooks are left out; their URLs are not, and may hold a token."
          + " (The audit log: safeconduct audit export.)",
      "Exit status: 0 written, 1 fault or usage error."
    })
public final class PullCommand implements Callable<Integer> {
  @Mixin private RemoteOptions options;

  @Option(
      names = {"-o", "--out", "-f", "--file"},
      paramLabel = "FOLDER",
      description = "Where to write the files. Default: all documents to standard output.")
  private @Nullable Path folder;

  @Option(
      names = "--org",
      paramLabel = "ORGANIZATION",
      description = "The organization's name or id. Default: the token's, or the oldest.")
  private @Nullable String org;

  @Override
  public Integer call() {
    int status =
        options.call(remote -> {
          JsonObject answer =
              remote.get(
                  RemoteClient.query(
                      "/api/resources", org == null ? Map.of() : Map.of("organization", org)));
          JsonArray resources = answer.list("resources");
          if (folder == null) {
            for (JsonValue each : resources) {
              options.print("---\n" + YamlDocuments.text(each).stripTrailing());
            }
            return;
          }
          try {
            write(folder, resources);
          } catch (IOException e) {
            throw RemoteException.unreachable("The files cannot be written: " + FileFault.shown(e));
          }
          options.print("Objects written to " + folder + ": " + resources.size());
          if (resources.elements().stream().anyMatch(PullCommand::isWebhookWithoutUrl)) {
            options.error(
                "The URL of a webhook may hold a token, so its file has the id in its place. It"
                    + " stays as it is; url: {from_env: NAME} sets it.");
          }
        });
    return status == 0 ? 0 : DeployOptions.FAULT;
  }

  private static boolean isWebhookWithoutUrl(JsonValue resource) {
    return resource instanceof JsonObject object
        && !object.has("url")
        && object.string("kind").equals(Optional.of("Webhook"));
  }

  private static void write(Path folder, JsonArray resources) throws IOException {
    Set<String> taken = new HashSet<>();
    for (JsonValue each : resources) {
      JsonObject resource = (JsonObject) each;
      String kind = resource.string("kind").orElseThrow();
      Path parent = folder.resolve(kind.toLowerCase(Locale.ROOT) + "s");
      Optional<JsonObject> document = resource.object("document");
      String name = unused(taken, kind, name(resource));
      if (document.isPresent() && resource.size() == 3) {
        write(
            parent.resolve(name).resolve("policy.json"),
            Json.text(document.get()).getBytes(StandardCharsets.UTF_8));
      } else {
        write(
            parent.resolve(name + ".yaml"),
            YamlDocuments.text(each).getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static void write(Path file, byte[] content) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, content);
  }

  /** Returns a name for the file that begins with no dot and has no separator. */
  private static String name(JsonObject resource) {
    for (String member : List.of("slug", "policy_id", "agent_id", "name", "url", "webhook_id")) {
      if (resource.get(member) instanceof JsonString(String text)) {
        String plain = text.replaceFirst("^https?://", "").replaceAll("[^A-Za-z0-9._-]+", "-");
        return plain.substring(0, Math.min(plain.length(), 100)).replaceFirst("^[.-]+", "x");
      }
    }
    return resource.string("kind").orElseThrow().toLowerCase(Locale.ROOT);
  }

  private static String unused(Set<String> taken, String kind, String name) {
    String free = name;
    for (int i = 2; !taken.add(kind + "/" + free); i++) {
      free = name + "-" + i;
    }
    return free;
  }
}
