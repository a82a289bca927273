package dev.safeconduct.cli;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Begins observe mode of an agent or of an organization. */
@Command(
    name = "observe",
    description = {
      "Allow and record what an agent's limits deny, for some days. Protections still deny.",
      RemoteOptions.EXIT
    })
public final class ObserveCommand implements Callable<Integer> {
  @Mixin private RemoteOptions options;

  @ArgGroup(multiplicity = "1")
  private Which which;

  @Option(names = "--days", required = true, description = "How long, at most 30.")
  private int days;

  @Option(names = "--include-money", description = "Also payments, refunds and data exports.")
  private boolean money;

  @Option(names = "--reason", required = true, description = "Why; it is in the audit log.")
  private String reason;

  /** One agent, or all of an organization. */
  static final class Which {
    @Option(names = "--agent", paramLabel = "ID", description = "The agent's id.")
    private String agent = "";

    @Option(names = "--org", paramLabel = "ID", description = "The organization's id.")
    private String org = "";

    /** Returns the path of the endpoint. */
    String path() throws RemoteException {
      return agent.isEmpty()
          ? "/api/orgs/" + RemoteClient.segment(org) + "/mode"
          : "/api/passports/" + RemoteClient.segment(agent) + "/mode";
    }
  }

  @Override
  public Integer call() {
    return options.call(remote -> {
      JsonObject body =
          JsonObject.builder()
              .put("mode", "observe")
              .put("days", new JsonNumber(days))
              .put("include_money", JsonBoolean.of(money))
              .put("reason", reason)
              .build();
      JsonObject answer = remote.put(which.path(), body);
      options.say(
          answer,
          "Observed until "
              + answer.object("observe").flatMap(mode -> mode.string("until")).orElse("")
              + ".");
    });
  }
}
