package dev.safeconduct.cli;

import dev.safeconduct.app.BuiltInPacks;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.CaseRun;
import dev.safeconduct.simulate.Coverage;
import dev.safeconduct.simulate.JunitReport;
import dev.safeconduct.simulate.TraceText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.xml.stream.XMLStreamException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Policy commands, which need no server and no database. */
@Command(
    name = "policies",
    mixinStandardHelpOptions = true,
    description = "Check, test, explain and replay policy packs.",
    subcommands = {
      PoliciesCommand.Check.class,
      PoliciesCommand.Test.class,
      PoliciesCommand.Explain.class,
      ReplayCommand.class
    })
public final class PoliciesCommand {
  static final int EXIT_FAILED = 1;
  static final int EXIT_UNREADABLE = 2;

  /** A command on files, which reports unreadable files on standard error. */
  abstract static class OnFiles implements Callable<Integer> {
    @Mixin Terminal terminal;

    @Parameters(
        arity = "1..*",
        paramLabel = "FILE",
        description =
            "A policy.json file, a folder with one, a folder of such folders, or a file of cases (JSON"
                + " or JSON Lines).")
    List<Path> files;

    @Override
    public Integer call() {
      PrintWriter out = terminal.out();
      try {
        int status = run(PackFiles.read(files), out);
        out.flush();
        return status;
      } catch (PackFiles.Unreadable | IOException e) {
        out.flush();
        terminal.err().println(e.getMessage());
        return EXIT_UNREADABLE;
      }
    }

    abstract int run(PackFiles given, PrintWriter out) throws PackFiles.Unreadable, IOException;
  }

  /** Lists every fault of every pack. */
  @Command(
      name = "check",
      description = {
        "Compile and lint policy packs; list every error with its position.",
        "Exit status: 0 no errors, 1 errors, 2 usage error or unreadable file."
      })
  static final class Check implements Callable<Integer> {
    @Mixin Terminal terminal;

    @Parameters(
        arity = "1..*",
        paramLabel = "FILE",
        description = "A policy.json file, a folder with one, or a folder of such folders.")
    private List<Path> files;

    @Override
    public Integer call() {
      PrintWriter out = terminal.out();
      int status = 0;
      for (Path path : files) {
        try {
          for (Path file : PackFiles.files(path)) {
            status = Math.max(status, check(file, out));
          }
        } catch (PackFiles.Unreadable e) {
          status = unreadable(e);
        }
      }
      out.flush();
      return status;
    }

    private int unreadable(PackFiles.Unreadable fault) {
      terminal.err().println(fault.getMessage());
      return EXIT_UNREADABLE;
    }

    private int check(Path path, PrintWriter out) {
      PackFiles.PackFile file;
      try {
        file = PackFiles.packAt(path);
      } catch (PackFiles.Unreadable e) {
        return unreadable(e);
      }
      try {
        PolicyPack pack = BuiltInPacks.reader().read(file.document());
        int rules = pack.rules().size();
        out.printf(
            "%s: %s is sound: %d %s, %s%n",
            file.file(), pack.id(), rules, rules == 1 ? "rule" : "rules", pack.digest());
        return 0;
      } catch (PackFault e) {
        print(file, e, out);
        return EXIT_FAILED;
      }
    }
  }

  static void print(PackFiles.PackFile file, PackFault faults, PrintWriter out) {
    int count = faults.faults().size();
    out.printf("%s: %d %s%n", file.file(), count, count == 1 ? "fault" : "faults");
    for (PolicyFault fault : faults.faults()) {
      out.println("  " + fault.text());
      Optional<String> source = at(file.document(), fault.field());
      if (source.isPresent() && fault.column().isPresent() && source.get().indexOf('\n') < 0) {
        out.println("    " + source.get());
        out.println("    " + " ".repeat(Math.max(0, fault.column().getAsInt() - 1)) + "^");
      }
    }
  }

  /** Returns the text at a field such as {@code evaluation_rules[2].counters[0].max}. */
  private static Optional<String> at(JsonObject document, String field) {
    @Nullable JsonValue value = document;
    for (String part : field.split("\\.|(?=\\[)", -1)) {
      if (part.startsWith("[")) {
        int index = Integer.parseInt(part.substring(1, part.length() - 1));
        value = value instanceof JsonArray list && index < list.size() ? list.get(index) : null;
      } else {
        value = value instanceof JsonObject object ? object.get(part) : null;
      }
    }
    return value instanceof JsonString text ? Optional.of(text.value()) : Optional.empty();
  }

  /** Runs cases and reports unexpected outcomes. */
  @Command(
      name = "test",
      description = {
        "Run the cases of policy packs and of case files.",
        "Exit status: 0 passed, 1 a case failed, the coverage is too low or a pack has errors,"
            + " 2 usage error or unreadable file."
      })
  static final class Test extends OnFiles {
    @Option(names = "--junit", paramLabel = "FILE", description = "Write the results as JUnit XML.")
    private @Nullable Path junit;

    @Option(
        names = "--min-coverage",
        paramLabel = "PERCENT",
        description =
            "Fail when a pack has fewer covered rules. A rule is covered when cases show it pass and"
                + " deny.")
    private double leastCoverage;

    @Option(
        names = {"-v", "--verbose"},
        description = "List passed cases too.")
    private boolean verbose;

    Test() {}

    /** Creates the command for packs that are read elsewhere. */
    Test(@Nullable Path junit, double leastCoverage, boolean verbose) {
      this.junit = junit;
      this.leastCoverage = leastCoverage;
      this.verbose = verbose;
    }

    @Override
    int run(PackFiles given, PrintWriter out) throws PackFiles.Unreadable, IOException {
      if (!(leastCoverage >= 0 && leastCoverage <= 100)) {
        throw new IOException("--min-coverage must be a number from 0 to 100");
      }
      given.demandCases();
      boolean failed = false;
      var suites = new ArrayList<JunitReport.Suite>();
      CasePlan plan = CasePlan.of(given);
      for (CasePlan.Faulty faulty : plan.faulty()) {
        failed = true;
        print(faulty.file(), faulty.fault(), out);
      }
      for (CasePlan.Planned planned : plan.planned()) {
        long begun = System.nanoTime();
        var coverage = new Coverage(planned.pack());
        var runs = new ArrayList<CaseRun>();
        out.println(planned.pack().id());
        for (CaseRun run : planned.run()) {
          runs.add(run);
          coverage.add(run);
          failed |= !run.passed();
          shown(run, out);
        }
        suites.add(
            new JunitReport.Suite(
                planned.pack().id().value(), runs, (System.nanoTime() - begun) / 1e9));
        failed |= summary(runs, coverage, out);
      }
      if (junit != null) {
        write(suites, junit);
      }
      return failed ? EXIT_FAILED : 0;
    }

    private void shown(CaseRun run, PrintWriter out) {
      if (run.passed() && verbose) {
        out.println("  ok    " + run.said().name());
      }
      for (int i = 0; i < run.steps().size(); i++) {
        for (String fault : run.steps().get(i).faults()) {
          out.printf("  FAIL  %s, step %d: %s%n", run.said().name(), i + 1, fault);
        }
      }
    }

    /** Returns whether the coverage is too small. */
    private boolean summary(List<CaseRun> runs, Coverage coverage, PrintWriter out) {
      long passed = runs.stream().filter(CaseRun::passed).count();
      out.printf(
          Locale.ROOT,
          "  %d of %d cases as expected; %d of %d rules covered (%.0f %%)%n",
          passed,
          runs.size(),
          coverage.covered(),
          coverage.rules(),
          coverage.percent());
      boolean tooSmall = coverage.percent() < leastCoverage;
      if (tooSmall || verbose) {
        coverage.missing().forEach(rule -> out.println("    not covered: " + rule));
      }
      if (tooSmall) {
        out.printf(Locale.ROOT, "  the coverage is below %.0f %%%n", leastCoverage);
      }
      return tooSmall;
    }

    private static void write(List<JunitReport.Suite> suites, Path file) throws IOException {
      try (OutputStream to = Files.newOutputStream(file)) {
        JunitReport.write(suites, to);
      } catch (XMLStreamException | IOException e) {
        // The message of the former begins with the name of a class.
        Throwable cause = e.getCause() == null ? e : e.getCause();
        throw new IOException("The JUnit file cannot be written: " + FileFault.shown(cause), e);
      }
    }
  }

  /** Shows each check of each case. */
  @Command(
      name = "explain",
      description = {
        "Show the checks of each case and the values they compared.",
        "Exit status: 0 shown, 1 a pack has errors, 2 usage error, no such case or unreadable"
            + " file."
      })
  static final class Explain extends OnFiles {
    @Option(
        names = "--case",
        paramLabel = "TEXT",
        description = "Only cases with this text in their name.")
    private String wanted = "";

    @Override
    int run(PackFiles given, PrintWriter out) throws PackFiles.Unreadable, IOException {
      boolean found = false;
      CasePlan plan = CasePlan.of(given);
      plan.faulty().forEach(faulty -> print(faulty.file(), faulty.fault(), out));
      for (CasePlan.Planned planned : plan.planned()) {
        for (CaseRun run : planned.only(wanted).run()) {
          found = true;
          out.println(planned.pack().id() + ": " + run.said().name());
          for (int i = 0; i < run.steps().size(); i++) {
            out.printf(" step %d: %s%n", i + 1, CaseRun.shown(run.steps().get(i).outcome()));
            out.print(TraceText.of(run.steps().get(i).outcome()));
          }
        }
      }
      if (!plan.faulty().isEmpty()) {
        return EXIT_FAILED;
      }
      if (!found) {
        throw new IOException(
            wanted.isEmpty() ? "there are no cases" : "no case has \"" + wanted + "\" in its name");
      }
      return 0;
    }
  }
}
