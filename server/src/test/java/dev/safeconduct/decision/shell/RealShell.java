package dev.safeconduct.decision.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs lines in a shell of this machine, each in a process of its own and in an empty folder. All
 * programs in its PATH only write their name and arguments to a log.
 */
final class RealShell {
  /** Programs are in no folder of the PATH here, so this uses only commands of bash itself. */
  private static final String DRIVER =
      """
      shopt -s nullglob dotglob
      cd "$1" || exit 1
      exec 9>>"$LOG"
      for line in "$2"/*; do
        printf '#%s\\0' "${line##*/}" >&9
        IFS= read -r -d '' text <"$line"
        "${@:3}" "$text" </dev/null >/dev/null 2>&1 9>&-
        for file in * "$HOME"/*; do
          printf '@%s\\0' "$file" >&9
          [[ $file == */* ]] && file=$HOME/${file##*/} || file=./$file
          "$REMOVE" -rf -- "$file"
        done
      done
      """;

  private static final int PATIENCE_SECONDS = 5;

  private final Path folder;
  private final List<String> call;
  private int stopped;

  /**
   * @param folder an empty one
   * @param name the shell's program
   */
  RealShell(Path folder, String name) throws IOException {
    this.folder = folder;
    call =
        switch (name) {
          case "zsh" -> List.of(find(name), "-f", "-c");
          case "fish" -> List.of(find(name), "--no-config", "-c");
          default -> List.of(find(name), "-c");
        };
    Files.createDirectories(folder.resolve("lines"));
    Files.createDirectories(folder.resolve("work"));
    Files.createDirectories(folder.resolve("home"));
    Path programs = Files.createDirectories(folder.resolve("programs"));
    String stub = "#!" + find("dash") + "\nprintf '%s\\0' \"${0##*/} $*\" >>\"$LOG\"\n";
    var names = new LinkedHashSet<>(ShellLines.WORDS);
    ShellLines.LISTED.forEach(entry -> names.add(entry.split(" ", -1)[0]));
    for (String program : names) {
      Path file = Files.writeString(programs.resolve(program), stub);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
  }

  /** What one line did: the programs it ran, with arguments, and the files it wrote. */
  record Effects(List<String> ran, List<String> wrote) {}

  /** The number of lines at which the shell waited for itself until it was ended. */
  int stopped() {
    return stopped;
  }

  /** Runs the lines, one after the other. */
  List<Effects> run(List<String> lines) throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    for (int i = 0; i < lines.size(); i++) {
      Files.writeString(folder.resolve("lines/%06d".formatted(i)), lines.get(i));
    }
    var command = new ArrayList<>(List.of(find("bash"), "-c", DRIVER, "driver"));
    command.addAll(List.of(folder.resolve("work").toString(), folder.resolve("lines").toString()));
    command.addAll(call);
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(folder.resolve("errors").toFile());
    builder.environment().clear();
    builder.environment().put("PATH", folder.resolve("programs").toString());
    builder.environment().put("HOME", folder.resolve("home").toString());
    builder.environment().put("LOG", log.toString());
    // Fish keeps files of its own there.
    builder.environment().put("XDG_CONFIG_HOME", folder.resolve("fish").toString());
    builder.environment().put("XDG_DATA_HOME", folder.resolve("fish").toString());
    builder.environment().put("LANG", "C.UTF-8");
    builder.environment().put("REMOVE", find("rm"));
    Process process = builder.start();
    long before = -1;
    while (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      // Zsh waits for itself for ever at "exec >>out | git". What it ran until then is in the log.
      if (log.toFile().length() == before) {
        stopped++;
        process.descendants().forEach(ProcessHandle::destroyForcibly);
      }
      before = log.toFile().length();
    }
    List<Effects> effects = effects(log);
    if (process.exitValue() != 0 || effects.size() != lines.size()) {
      throw new AssertionError(Files.readString(folder.resolve("errors")) + last(log));
    }
    return effects;
  }

  private static List<Effects> effects(Path log) throws IOException {
    var all = new ArrayList<Effects>();
    for (String entry : entries(log)) {
      if (entry.startsWith("#")) {
        all.add(new Effects(new ArrayList<>(), new ArrayList<>()));
      } else if (entry.startsWith("@")) {
        all.getLast().wrote().add(entry.substring(1));
      } else {
        all.getLast().ran().add(entry);
      }
    }
    return all;
  }

  private static List<String> entries(Path log) throws IOException {
    String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    List<String> entries = Arrays.asList(text.split("\0", -1));
    return entries.subList(0, entries.size() - 1);
  }

  private static String last(Path log) throws IOException {
    List<String> entries = entries(log);
    return entries.isEmpty() ? "its start" : entries.getLast();
  }

  private static String find(String program) {
    for (String folder : List.of("/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin")) {
      Path file = Path.of(folder, program);
      if (Files.isExecutable(file)) {
        return file.toString();
      }
    }
    throw new AssertionError(program + " is not installed; bin/test-prerequisites installs it");
  }
}
