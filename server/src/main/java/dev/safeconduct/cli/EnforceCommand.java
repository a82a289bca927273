package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Ends observe mode of an agent or of an organization. */
@Command(
    name = "enforce",
    description = {"End observe mode.", RemoteOptions.EXIT})
public final class EnforceCommand implements Callable<Integer> {
  @Mixin private RemoteOptions options;

  @ArgGroup(multiplicity = "1")
  private ObserveCommand.Which which;

  @Override
  public Integer call() {
    return options.call(remote -> {
      JsonObject answer = remote.delete(which.path());
      options.say(
          answer,
          !answer.isTrue("changed")
              ? "Observe mode was not set; nothing changed."
              : answer.string("mode").filter("observe"::equals).isPresent()
                  ? "Ended, but still observed with its organization."
                  : "Enforced.");
    });
  }
}
