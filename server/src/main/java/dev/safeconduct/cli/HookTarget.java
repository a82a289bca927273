package dev.safeconduct.cli;

import dev.safeconduct.config.Env;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Which files are meant. */
final class HookTarget {
  /** At most one scope. */
  static final class Scope {
    @Option(names = "--user", description = "In your home: for all your projects.")
    @SuppressWarnings("UnusedVariable") // it is the default
    private boolean user;

    @Option(names = "--project", description = "In the project's folder: for everybody there.")
    private boolean project;

    @Option(names = "--managed", description = "In the system's folder: for everybody; needs root.")
    private boolean managed;

    private String name() {
      return managed ? "managed" : project ? "project" : "user";
    }
  }

  @ArgGroup private @Nullable Scope scope;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "The project's folder. Default: the current folder.")
  private Path folder = Path.of("");

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Another file of the same form, such as a settings.local.json.")
  private @Nullable Path file;

  /** Returns the one scope that is written to: the user's unless another is named. */
  String scope() {
    return scope == null ? "user" : scope.name();
  }

  /** Returns the scopes that are searched: all unless one is named. */
  List<String> scopes() {
    return scope == null ? HookPlaces.SCOPES : List.of(scope.name());
  }

  /** Returns the places of this person and this project. */
  HookPlaces places(Env env) {
    return new HookPlaces(env, folder.toAbsolutePath().normalize());
  }

  /** Returns the files of the scopes, or the one that is named. */
  List<HookPlaces.Found> find(HookPlaces places, AgentFiles agent, List<String> scopes)
      throws HookFault {
    if (file != null) {
      return List.of(places.named(agent, file.toAbsolutePath()));
    }
    var found = new LinkedHashMap<Path, HookPlaces.Found>(); // the home may be the project
    for (String each : scopes) {
      for (HookPlaces.Found one : places.in(agent, each)) {
        found.putIfAbsent(one.file().target(), one);
      }
    }
    return List.copyOf(found.values());
  }

  /** Returns the files that hold the hook. */
  List<HookPlaces.Found> installed(HookPlaces places, AgentFiles agent) throws HookFault {
    return find(places, agent, scopes()).stream().filter(HookPlaces.Found::isInstalled).toList();
  }
}
