package dev.safeconduct.cli;

import dev.safeconduct.config.Env;
import dev.safeconduct.json.IsoInstant;
import java.io.PrintWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The settings that a command reads, and where it prints. */
@Command(mixinStandardHelpOptions = true)
final class Terminal {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  private final Supplier<Env> environment;

  /** Uses the settings of the process. */
  Terminal() {
    this(Env::ofProcess);
  }

  /** Uses other settings. */
  Terminal(Supplier<Env> environment) {
    this.environment = environment;
  }

  Env env() {
    return environment.get();
  }

  PrintWriter out() {
    return command.commandLine().getOut();
  }

  PrintWriter err() {
    return command.commandLine().getErr();
  }

  /** Returns a usage error. */
  ParameterException fault(String text) {
    return new ParameterException(command.commandLine(), text);
  }

  /**
   * Returns the instant that an option names: a date-time with a zone, or the start of a day in
   * UTC.
   *
   * @throws ParameterException naming the option, for another text
   */
  Instant time(String option, String text) {
    try {
      return IsoInstant.parse(text)
          .orElseGet(() -> LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant());
    } catch (DateTimeException _) {
      throw fault(
          option + " must be a day or a date-time with a zone, such as 2026-11-20T08:00:00Z");
    }
  }

  /**
   * Checks that a period has a length.
   *
   * @throws ParameterException if it ends before it begins, or when it begins
   */
  void checkOrder(Instant begin, Instant end) {
    if (!begin.isBefore(end)) {
      throw fault("--from must be before --to");
    }
  }
}
