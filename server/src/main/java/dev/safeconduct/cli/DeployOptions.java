package dev.safeconduct.cli;

import dev.safeconduct.config.Env;
import dev.safeconduct.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of commands that compare an organization with files. */
final class DeployOptions extends RemoteOptions {
  static final int CHANGES = 2;
  static final int FAULT = 1;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "PATH",
      description = "A YAML or JSON file, or a folder of such files and of packs.")
  private List<Path> paths;

  @Option(
      names = "--org",
      paramLabel = "ORGANIZATION",
      description =
          "The organization's name or id. Default: the token's own; apply needs it for an operator's"
              + " token.")
  private @Nullable String org;

  @Option(
      names = "--owner",
      paramLabel = "LABEL",
      description = "The label of these files' owner, for example the repository.")
  private @Nullable String owner;

  @Option(
      names = "--prune",
      description = "Remove objects with the owner's label that no file describes.")
  private boolean prune;

  @Option(names = "--take-over", description = "Give objects with another owner's label this one.")
  private boolean takeOver;

  @Option(
      names = "--env",
      paramLabel = "NAME",
      description =
          "An environment variable that files may name, besides those that begin with"
              + " SAFECONDUCT_SECRET_.")
  private List<String> variables = List.of();

  /** Returns the members that a plan and an apply share. */
  JsonObject.Builder request(DeployFiles files) throws DeployFiles.Invalid {
    return JsonObject.builder()
        .put("resources", files.resources(Env.ofProcess(), Set.copyOf(variables)))
        .putIfPresent("organization", Optional.ofNullable(org))
        .putIfPresent("owner", Optional.ofNullable(owner))
        .put("prune", prune)
        .put("take_over", takeOver);
  }

  /** A command on files. */
  interface OnFiles {
    int run(DeployFiles files) throws DeployFiles.Invalid;
  }

  /** Runs the command; every fault has the status 1, because 2 means that there are changes. */
  int onFiles(OnFiles command) {
    try {
      return command.run(DeployFiles.read(paths));
    } catch (DeployFiles.Invalid e) {
      error(String.valueOf(e.getMessage()));
      return FAULT;
    }
  }

  /** Returns the answer to a POST; its faults name files. */
  static JsonObject post(RemoteClient remote, DeployFiles files, String path, JsonObject body)
      throws RemoteException {
    try {
      return remote.post(path, body);
    } catch (RemoteException e) {
      throw RemoteException.refused(files.located(String.valueOf(e.getMessage())));
    }
  }
}
