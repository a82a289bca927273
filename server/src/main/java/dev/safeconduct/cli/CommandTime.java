package dev.safeconduct.cli;

import dev.safeconduct.json.IsoInstant;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Reads the values of options that are times. */
final class CommandTime {
  private CommandTime() {}

  /**
   * Returns the instant: a date-time with a zone, or the start of a day in UTC.
   *
   * @throws ParameterException naming the option, for another text
   */
  static Instant read(CommandSpec spec, String option, String text) {
    try {
      return IsoInstant.parse(text)
          .orElseGet(() -> LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant());
    } catch (DateTimeException _) {
      throw new ParameterException(
          spec.commandLine(),
          option + " must be a day or a date-time with a zone, such as 2026-11-20T08:00:00Z");
    }
  }

  /**
   * Checks that a period has a length.
   *
   * @throws ParameterException if it ends before it begins, or when it begins
   */
  static void checkOrder(CommandSpec spec, Instant begin, Instant end) {
    if (!begin.isBefore(end)) {
      throw new ParameterException(spec.commandLine(), "--from must be before --to");
    }
  }
}
