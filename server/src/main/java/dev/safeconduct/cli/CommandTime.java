package dev.safeconduct.cli;

import dev.safeconduct.json.IsoInstant;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Reads the value of an option that is a time. */
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
}
