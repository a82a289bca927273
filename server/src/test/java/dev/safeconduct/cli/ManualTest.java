package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What packaging/manual makes man pages of. */
final class ManualTest {
  /** A line of bin/safeconduct that starts a program of its own. */
  private static final Pattern PROGRAM =
      Pattern.compile("^  ([a-z][a-z |-]*)\\) .*exec \"\\$here/bin/", Pattern.MULTILINE);

  @Test
  void programsThatAreNoCommandsHaveAPageToo() throws IOException {
    String manual = Files.readString(Path.of("packaging/manual/Manual.java"));
    List<String> programs =
        PROGRAM
            .matcher(Files.readString(Path.of("bin/safeconduct")))
            .results()
            .flatMap(found -> Pattern.compile(" \\| ").splitAsStream(found.group(1)))
            .toList();

    assertThat(programs).contains("exec", "check", "mcp-gateway");
    assertThat(programs).allSatisfy(name -> assertThat(manual).contains("\"" + name + "\","));
  }

  @Test
  void everyCommandOptionAndValueIsDescribed() {
    var nothingSaid = new ArrayList<String>();
    look(Main.commandLine(), nothingSaid);
    assertThat(nothingSaid).isEmpty();
  }

  private static void look(CommandLine line, List<String> nothingSaid) {
    var spec = line.getCommandSpec();
    String name = spec.qualifiedName();
    if (spec.usageMessage().description().length == 0) {
      nothingSaid.add(name);
    }
    spec.args().stream()
        // An operand's label says what it is.
        .filter(arg -> arg.isOption() && !arg.hidden() && arg.description().length == 0)
        .forEach(arg -> nothingSaid.add(name + " " + arg.paramLabel()));
    spec.args().stream()
        .filter(arg -> arg.arity().max() > 0 && arg.paramLabel().matches("<arg\\d+>"))
        .forEach(arg -> nothingSaid.add(name + " " + arg.paramLabel()));
    line.getSubcommands().values().forEach(each -> look(each, nothingSaid));
  }
}
