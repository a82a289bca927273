package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Resumes a halted organization, or all. */
@Command(
    name = "resume",
    description = {
      "End an operator's halt, or with --own the organization's own. With --all, organizations"
          + " halted on their own stay halted.",
      RemoteOptions.EXIT
    })
public final class ResumeCommand implements Callable<Integer> {
  @Mixin private RemoteOptions options;

  @ArgGroup(multiplicity = "1")
  private HaltCommand.Which which;

  @Option(names = "--own", description = "With --org: the organization's own halt.")
  private boolean own;

  @Override
  public Integer call() {
    return options.call(remote -> {
      JsonObject body = own ? JsonObject.of("own", true) : JsonObject.EMPTY;
      JsonObject answer = remote.post(which.path("resume"), body);
      options.say(
          answer,
          !answer.isTrue("halted")
              ? (answer.isTrue("changed") ? "Resumed." : "It was not halted.")
              : (answer.isTrue("changed") ? "One halt ended" : "Nothing ended")
                  + "; another stays: "
                  + staying(answer));
    });
  }

  /** Returns which halt goes on, with what ends it. */
  private static String staying(JsonObject answer) {
    return answer.object("halt_by_operator").isPresent()
        ? "an operator's (without --own)."
        : answer.object("halt").isPresent()
            ? "the organization's own (--own)."
            : "of all organizations (--all).";
  }
}
