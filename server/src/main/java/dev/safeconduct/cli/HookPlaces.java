package dev.safeconduct.cli;

import dev.safeconduct.config.Env;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds agents' files for one person and one project. */
record HookPlaces(Env env, Path project) {
  /** The scopes, the one that binds most first. */
  static final List<String> SCOPES = List.of("managed", "project", "user");

  /** A file in which the hook stands or may stand. */
  record Found(AgentFiles agent, String scope, ConfigFile file, HookFormat format) {
    /** Returns the command line in the file; empty without the hook. */
    Optional<HookCommandLine> command() throws HookFault {
      return format.commands(file.text().orElse("")).stream()
          .findFirst()
          .flatMap(HookCommandLine::read);
    }

    /** Whether the hook stands in the file; in one that is not valid, whether it is named. */
    boolean isInstalled() {
      try {
        return command().isPresent();
      } catch (HookFault _) {
        return file.text().orElse("").contains(HookCommandLine.PROGRAM);
      }
    }
  }

  /**
   * Returns the files of the scope; a pattern gives those that exist.
   *
   * @throws HookFault when one cannot be read
   */
  List<Found> in(AgentFiles agent, String scope) throws HookFault {
    var found = new ArrayList<Found>();
    for (AgentFiles.Place place : agent.places(scope)) {
      for (Path path : paths(resolve(agent, place.file()))) {
        found.add(at(agent, scope, path, place.form()));
      }
    }
    return found;
  }

  /**
   * Returns a file that somebody named, in the form of the agent's file of that name, else of its
   * last file of the scope user.
   *
   * @throws HookFault when it cannot be read
   */
  Found named(AgentFiles agent, Path path) throws HookFault {
    String form =
        SCOPES.stream()
            .flatMap(scope -> agent.places(scope).stream())
            .filter(place -> Path.of(place.file()).endsWith(String.valueOf(path.getFileName())))
            .findFirst()
            .orElseGet(() -> agent.places("user").getLast())
            .form();
    return at(agent, "file", path, form);
  }

  private Found at(AgentFiles agent, String scope, Path path, String form) throws HookFault {
    Path within = scope.equals("project") ? project : null;
    return new Found(agent, scope, ConfigFile.read(path, within), agent.format(form));
  }

  /** Returns the path that a place of the agent stands for. */
  Path resolve(AgentFiles agent, String file) {
    if (!file.startsWith("~/")) {
      return project.resolve(file);
    }
    Optional<String> moved =
        agent
            .home()
            .filter(home -> file.startsWith(home.string("folder").orElseThrow() + "/"))
            .flatMap(home -> env.string(home.string("variable").orElseThrow()));
    return moved.isPresent()
        ? Path.of(moved.get()).resolve(file.substring(file.indexOf('/', 2) + 1))
        : home().resolve(file.substring(2));
  }

  Path home() {
    return Path.of(env.string("HOME", System.getProperty("user.home", "/")));
  }

  /** Returns the folder of this person's keys for hooks. */
  Path keys() {
    return env.string("XDG_CONFIG_HOME")
        .map(Path::of)
        .orElseGet(() -> home().resolve(".config"))
        .resolve("safeconduct");
  }

  private static List<Path> paths(Path path) throws HookFault {
    if (!path.endsWith("*.json")) {
      return List.of(path);
    }
    Path folder = path.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      return List.of();
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.json")) {
      var all = new ArrayList<Path>();
      files.forEach(all::add);
      return all.stream().sorted().toList();
    } catch (IOException e) {
      throw new HookFault(folder + " cannot be listed: " + e.getMessage());
    }
  }
}
