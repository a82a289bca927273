package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Resumes a halted organization, or all. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description = {
      "End a halt. With --all, organizations halted on their own stay halted. An operator's halt and"
          + " the organization's own end one after the other, the operator's first.",
      RemoteOptions.EXIT
    })
@SuppressWarnings("NullAway.Init") // set before the call
public final class ResumeCommand implements Callable<Integer> {
  @Mixin private RemoteOptions options;

  @ArgGroup(multiplicity = "1")
  private HaltCommand.Which which;

  @Override
  public Integer call() {
    return options.call(remote -> {
      JsonObject answer = remote.post(which.path("resume"), JsonObject.EMPTY);
      options.say(
          answer,
          !answer.isTrue("changed")
              ? "It was not halted."
              : answer.isTrue("halted")
                  ? "One halt ended; another stays, of the organization or of all."
                  : "Resumed.");
    });
  }
}
