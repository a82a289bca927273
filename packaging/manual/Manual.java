import dev.safeconduct.Main;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.asciidoctor.Asciidoctor;
import org.asciidoctor.Options;
import org.asciidoctor.SafeMode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Writes the man pages and the shell completion; packaging/man runs it. */
final class Manual {
  /** An option in what a program prints: its name, what its value is called, what it does. */
  private static final Pattern OPTION =
      Pattern.compile("^(?:\\w+(?: \\w+)?:)? +(--[a-z-]+)(?: ([A-Z]+))? {2,}(\\S.*)$", Pattern.MULTILINE);

  private static final String ENVIRONMENT =
      "SAFECONDUCT_URL is the service's address (http://127.0.0.1:8080 if it is not set). SAFECONDUCT_API_KEY is the"
          + " key, or SAFECONDUCT_KEY_FILE names the file that holds it.";

  private static final String HOOK =
      """

      == The program safeconduct-hook

      *safeconduct-hook* _AGENT_ [*--url* _URL_] [*--agent-id* _ID_] [*--key-file* _FILE_] [*--local-approval*]

      What agents run before each tool call: it reads the agent's JSON from standard input, asks the service, and prints
      what the agent has to read. Every failure is a denial. It is in _/usr/lib/safeconduct/bin_ of the Debian package.
      """;

  private static final String ZSH =
      """
      #compdef safeconduct
      # zsh runs the completion of bash, which stands beside this folder.
      source ${functions_source[_safeconduct]:A:h:h:h}/bash-completion/completions/safeconduct
      _bash_complete -o default -F _complete_safeconduct
      """;

  public static void main(String[] args) throws IOException {
    Path out = Path.of(args[0]);
    Path usages = Path.of(args[1]);
    CommandLine line = Main.commandLine();
    String execUsage = Files.readString(usages.resolve("exec"));
    line.addSubcommand(
        new CommandLine(
            program(
                "exec",
                execUsage,
                List.of("[options] -- COMMAND [ARGUMENT...]", "[options] --shell -- LINE"),
                "Ask the service whether a command may run, and run exactly that command if it is allowed.",
                ENVIRONMENT,
                "Exit status: that of the command; 126 if it was denied or no decision could be had.")));
    line.addSubcommand(
        new CommandLine(
            program(
                "check",
                execUsage.substring(0, execUsage.indexOf("of exec:")),
                List.of("[options] --policy ID --context JSON|@FILE|-"),
                "Ask the service for a decision, and print its answer.",
                ENVIRONMENT,
                "Exit status: 0 allowed, 1 denied, 2 no decision could be had.")));
    line.addSubcommand(
        new CommandLine(
            program(
                "mcp-gateway",
                Files.readString(usages.resolve("mcp-gateway")),
                List.of(
                    "--server NAME [OPTION...] -- COMMAND [ARGUMENT...]",
                    "--server NAME --config FILE",
                    "--http --config FILE",
                    "pins list|accept [--pins FILE] [NAME [TOOL...]]"),
                "Stand between an MCP client and its servers, and ask before each request that acts.",
                ENVIRONMENT + " SAFECONDUCT_TIMEOUT is the time for a decision in seconds.",
                "Exit status: 0 the session has ended, 1 the server has ended or cannot be reached, 2 the command"
                    + " or its configuration is not valid.")));
    completion(out, line);
    Path pages = Files.createDirectories(usages.resolve("pages"));
    ManPageGenerator.generateManPage(
        pages.toFile(), null, new boolean[0], true, line.getCommandSpec());
    Path man = Files.createDirectories(out.resolve("man/man1"));
    try (Asciidoctor asciidoctor = Asciidoctor.Factory.create();
        Stream<Path> files = Files.list(pages)) {
      for (Path page : files.sorted().toList()) {
        Files.writeString(page, complete(page, Files.readString(page), line));
        asciidoctor.convertFile(
            page.toFile(),
            Options.builder()
                .backend("manpage")
                .safe(SafeMode.UNSAFE)
                .toDir(man.toFile())
                .build());
      }
    }
  }

  /** Adds what the generator leaves out: the version, and the program that agents run. */
  private static String complete(Path page, String text, CommandLine line) {
    String version = line.getCommandSpec().version()[0].replace("safeconduct", "Safeconduct");
    // Two hyphens alone would become a dash.
    String whole =
        text.replaceFirst(":mansource:.*", ":mansource: " + version).replace(" -- ", " \\-- ");
    return page.endsWith("safeconduct-hook.adoc") ? whole + HOOK : whole;
  }

  /** Describes a program for people by the options that it prints. */
  private static CommandSpec program(
      String name, String usage, List<String> synopsis, String... description) {
    CommandSpec spec = CommandSpec.create().name(name);
    OPTION
        .matcher(usage)
        .results()
        .forEach(option -> spec.addOption(option(option)));
    if (spec.options().isEmpty()) {
      throw new IllegalStateException("no options are found in the usage of " + name);
    }
    spec.parser().separator(" ");
    spec.usageMessage()
        .description(String.join("%n%n", description))
        .customSynopsis(
            synopsis.stream()
                .map(each -> "*safeconduct " + name + "* " + each + " +")
                .toArray(String[]::new));
    return spec;
  }

  private static OptionSpec option(MatchResult found) {
    OptionSpec.Builder option = OptionSpec.builder(found.group(1)).description(found.group(3));
    String value = found.group(2);
    if (value == null) {
      return option.type(boolean.class).build();
    }
    boolean isFile = List.of("FILE", "FOLDER").contains(value);
    return option.type(isFile ? File.class : String.class).paramLabel(value).build();
  }

  private static void completion(Path out, CommandLine line) throws IOException {
    Path bash = Files.createDirectories(out.resolve("bash-completion/completions"));
    String script = AutoComplete.bash("safeconduct", line);
    Files.writeString( // it is sourced, so its first line, "#!", goes
        bash.resolve("safeconduct"), script.substring(script.indexOf('\n') + 1));
    Path zsh = Files.createDirectories(out.resolve("zsh/vendor-completions"));
    Files.writeString(zsh.resolve("_safeconduct"), ZSH);
  }
}
