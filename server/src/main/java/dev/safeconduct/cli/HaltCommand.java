package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Halts every agent of an organization, or of all. */
@Command(
    name = "halt",
    description = {
      "Deny every request of an organization's agents, on every node within a second.",
      RemoteOptions.EXIT
    })
public final class HaltCommand implements Callable<Integer> {
  @Mixin private RemoteOptions options;

  @ArgGroup(multiplicity = "1")
  private Which which;

  @Option(
      names = "--reason",
      required = true,
      description = "Why; the owners get it by email, and it is in the audit log.")
  private String reason;

  /** The organizations: one or all. */
  static final class Which {
    @Option(names = "--org", paramLabel = "ID", description = "The organization's id.")
    private String org = "";

    @Option(names = "--all", description = "Every organization of the service.")
    private boolean all;

    /** Returns the path of the endpoint. */
    String path(String verb) throws RemoteException {
      return all ? "/api/admin/" + verb : "/api/orgs/" + RemoteClient.segment(org) + "/" + verb;
    }
  }

  @Override
  public Integer call() {
    return options.call(remote -> {
      JsonObject body = JsonObject.of("reason", reason);
      JsonObject answer = remote.post(which.path("halt"), body);
      options.say(
          answer,
          (answer.isTrue("changed") ? "Halted" : "Halted already")
              + "; active agents: "
              + TextTable.cell(answer.get("active_agents")));
    });
  }
}
