package dev.safeconduct.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the cases of the packs in files, without a server. */
@Command(
    name = "test",
    exitCodeOnInvalidInput = DeployOptions.FAULT,
    description = {
      "Run the cases of the packs in files that describe an organization, without a server.",
      "Exit status: 0 passed, 1 a case failed, the coverage is too low, a pack has errors or a usage"
          + " error."
    })
public final class TestCommand implements Callable<Integer> {
  @Mixin private Terminal terminal;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "PATH",
      description = "A YAML or JSON file, or a folder of such files and of packs.")
  private List<Path> paths;

  @Option(names = "--junit", paramLabel = "FILE", description = "Write the results as JUnit XML.")
  private @Nullable Path junit;

  @Option(
      names = "--min-coverage",
      paramLabel = "PERCENT",
      description = "Fail when a pack has fewer covered rules.")
  private double leastCoverage;

  @Option(
      names = {"-v", "--verbose"},
      description = "List passed cases too.")
  private boolean verbose;

  @Override
  public Integer call() {
    PrintWriter out = terminal.out();
    try {
      return new PoliciesCommand.Test(junit, leastCoverage, verbose)
          .run(DeployFiles.read(paths).packs(), out);
    } catch (DeployFiles.Invalid | PackFiles.Unreadable | IOException e) {
      terminal.err().println(TextTable.plain(String.valueOf(e.getMessage())));
      return DeployOptions.FAULT;
    } finally {
      out.flush();
    }
  }
}
