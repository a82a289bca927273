package dev.safeconduct;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that asks the running service with the admin token. */
abstract class RemoteCommand implements Callable<Integer> {
  /** What each of these commands ends with, said in its help. */
  static final String EXIT = "Exit status: 0 done, 1 refused by the service, 2 not reached, usage.";

  @Spec
  @SuppressWarnings("NullAway.Init") // set before the call
  private CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "Where the service answers; BASE_URL, or http://127.0.0.1:PORT by default.")
  private @Nullable String url;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "A file whose first line is the admin token; ADMIN_TOKEN by default.")
  private @Nullable Path tokenFile;

  @Option(names = "--json", description = "Print the service's answer as JSON.")
  private boolean json;

  /** A command for one organization. */
  abstract static class InOrganization extends RemoteCommand {
    @Option(names = "--org", paramLabel = "ID", description = "The organization; the first made.")
    private @Nullable String org;

    /** The organization's id, ready to stand in a path. */
    String org(Remote remote) throws RemoteFault {
      if (org != null) {
        return Remote.segment(org);
      }
      return Remote.segment(
          remote.all("/api/orgs", "orgs").stream()
              .findFirst()
              .flatMap(first -> first.string("org_id"))
              .orElseThrow(() -> RemoteFault.refused("There is no organization yet.")));
    }

    /** {@code org_id} for a query, where one was named. */
    Map<String, String> acting() {
      return org == null ? Map.of() : Map.of("org_id", org);
    }
  }

  @Override
  public final Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try (Remote remote = open(Main.environment())) {
      run(remote, out);
      out.flush();
      return 0;
    } catch (ConfigFault e) {
      spec.commandLine().getErr().println(e.getMessage());
      return RemoteFault.UNREACHABLE;
    } catch (RemoteFault e) {
      out.flush();
      spec.commandLine().getErr().println(Columns.plain(String.valueOf(e.getMessage())));
      return e.exitStatus();
    }
  }

  /**
   * Asks and prints.
   *
   * @throws RemoteFault when the service refuses or is not reached
   */
  abstract void run(Remote remote, PrintWriter out) throws RemoteFault;

  /** Prints the answer where JSON was asked for, else the line. */
  final void tell(PrintWriter out, JsonObject answer, String line) {
    out.println(json ? Json.text(answer) : Columns.plain(line));
  }

  /** Prints a list as JSON or in columns. */
  final void list(PrintWriter out, List<JsonObject> rows, String... names) {
    if (json) {
      out.println(Json.text(new JsonArray(List.copyOf(rows))));
    } else {
      Columns.print(out, rows, names);
    }
  }

  private Remote open(Env env) throws RemoteFault {
    String base =
        url != null
            ? url
            : env.string("BASE_URL", "http://127.0.0.1:" + env.string("PORT", "8080"));
    String token = tokenFile == null ? env.string("ADMIN_TOKEN", "") : firstLine(tokenFile);
    if (token.isEmpty()) {
      throw RemoteFault.unreachable(
          "No admin token: set ADMIN_TOKEN, or name a file with --token-file. It was shown at the"
              + " first start.");
    }
    if (token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw RemoteFault.unreachable("The admin token has characters that no token has.");
    }
    return new Remote(address(base), token);
  }

  private static String address(String text) throws RemoteFault {
    try {
      URI address = URI.create(text);
      String scheme = address.getScheme();
      if (address.getPort() > 65535) {
        throw RemoteFault.unreachable("The service's address has no port of a machine: " + text);
      }
      if (address.getHost() != null && ("http".equals(scheme) || "https".equals(scheme))) {
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
      }
    } catch (IllegalArgumentException _) {
      // told below
    }
    throw RemoteFault.unreachable("The service's address must begin with http:// or https://.");
  }

  private static String firstLine(Path file) throws RemoteFault {
    try {
      return Files.readString(file, StandardCharsets.UTF_8).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw RemoteFault.unreachable("The token's file cannot be read: " + e.getMessage());
    }
  }
}
