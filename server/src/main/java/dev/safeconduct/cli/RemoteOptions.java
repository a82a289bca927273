package dev.safeconduct.cli;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of commands that call the running service with the admin token. */
@Command(mixinStandardHelpOptions = true)
class RemoteOptions {
  /** The exit statuses of these commands, for their help. */
  static final String EXIT =
      "Exit status: 0 success, 1 refused by the service, 2 usage error or service unreachable.";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "The service's address. Default: BASE_URL, or http://127.0.0.1:PORT.")
  private @Nullable String url;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "A file with the admin token on its first line. Default: ADMIN_TOKEN.")
  private @Nullable Path tokenFile;

  @Option(names = "--json", description = "Print the service's response as JSON.")
  private boolean json;

  /** The options of commands for one organization. */
  static final class InOrganization extends RemoteOptions {
    @Option(
        names = "--org",
        paramLabel = "ID",
        description = "The organization's id. Default: the oldest organization.")
    private @Nullable String org;

    /** Returns the organization's id as a path segment. */
    private String org(RemoteClient remote) throws RemoteException {
      if (org != null) {
        return RemoteClient.segment(org);
      }
      return RemoteClient.segment(
          remote.all("/api/orgs", "orgs").stream()
              .findFirst()
              .flatMap(first -> first.string("org_id"))
              .orElseThrow(() -> RemoteException.refused("There is no organization yet.")));
    }

    /** Returns the path of a collection of the organization, such as its keys. */
    String path(RemoteClient remote, String kind) throws RemoteException {
      return "/api/orgs/" + org(remote) + "/" + kind;
    }

    /** Returns the path of one element of a collection. */
    String path(RemoteClient remote, String kind, String id) throws RemoteException {
      return path(remote, kind) + "/" + RemoteClient.segment(id);
    }

    /** Returns {@code org_id} for a query, if an organization is named. */
    Map<String, String> acting() {
      return org == null ? Map.of() : Map.of("org_id", org);
    }
  }

  /** What a command asks of the service. */
  interface Call {
    void run(RemoteClient remote) throws RemoteException;
  }

  /** Runs the command and returns its exit status. */
  final int call(Call call) {
    try (RemoteClient remote = open(Env.ofProcess())) {
      call.run(remote);
      return 0;
    } catch (ConfigFault e) {
      command.commandLine().getErr().println(e.getMessage());
      return RemoteException.UNREACHABLE;
    } catch (RemoteException e) {
      command.commandLine().getErr().println(TextTable.plain(String.valueOf(e.getMessage())));
      return e.exitStatus();
    } finally {
      out().flush();
    }
  }

  private PrintWriter out() {
    return command.commandLine().getOut();
  }

  final void print(String text) {
    out().println(text);
  }

  /** Prints the response if JSON output is chosen, else its member. */
  final void print(JsonObject answer, String member) {
    say(answer, answer.text(member));
  }

  /** Prints the response if JSON output is chosen, else the line. */
  final void say(JsonObject answer, String line) {
    print(json ? Json.text(answer) : TextTable.plain(line));
  }

  /** Prints a plan as JSON or for people. */
  final void show(JsonObject plan) {
    if (json) {
      print(Json.text(plan));
    } else {
      new PlanText(out()).print(plan);
    }
  }

  final void error(String text) {
    command.commandLine().getErr().println(TextTable.plain(text));
  }

  /** Prints a list as JSON or in columns. */
  final void list(List<JsonObject> rows, String... names) {
    if (json) {
      print(Json.text(new JsonArray(List.copyOf(rows))));
    } else {
      TextTable.print(out(), rows, names);
    }
  }

  /** Prints the response as JSON, or its list in columns and the line after it. */
  final void list(JsonObject answer, String plural, String line, String... names) {
    if (!json) {
      TextTable.print(out(), answer.objects(plural), names);
    }
    say(answer, line);
  }

  private RemoteClient open(Env env) throws RemoteException {
    String base =
        url != null
            ? url
            : env.string("BASE_URL", "http://127.0.0.1:" + env.string("PORT", "8080"));
    String token = tokenFile == null ? env.string("ADMIN_TOKEN", "") : firstLine(tokenFile);
    if (token.isEmpty()) {
      throw RemoteException.unreachable(
          "No admin token: set ADMIN_TOKEN, or pass --token-file. The token was shown at the"
              + " first start.");
    }
    if (token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw RemoteException.unreachable(
          "The admin token contains characters that are not allowed in a token.");
    }
    return new RemoteClient(address(base), token);
  }

  private static String address(String text) throws RemoteException {
    try {
      URI address = URI.create(text);
      String scheme = address.getScheme();
      if (address.getPort() > 65535) {
        throw RemoteException.unreachable("The service's address has a port above 65535: " + text);
      }
      if (address.getHost() != null && ("http".equals(scheme) || "https".equals(scheme))) {
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
      }
    } catch (IllegalArgumentException _) {
      // The error is reported below.
    }
    throw RemoteException.unreachable("The service's address must begin with http:// or https://.");
  }

  private static String firstLine(Path file) throws RemoteException {
    try {
      return Files.readString(file, StandardCharsets.UTF_8).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw RemoteException.unreachable("The token file cannot be read: " + FileFault.shown(e));
    }
  }
}
