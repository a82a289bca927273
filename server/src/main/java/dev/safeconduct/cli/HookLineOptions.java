package dev.safeconduct.cli;

import dev.safeconduct.config.CodeLocation;
import dev.safeconduct.config.Env;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the command line of the hook says. */
final class HookLineOptions {
  @Option(
      names = "--agent-id",
      paramLabel = "ID",
      description = "The passport that the agent acts under. Default: SAFECONDUCT_AGENT_ID.")
  private @Nullable String agentId;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "The service's address. Default: SAFECONDUCT_URL, or http://127.0.0.1:8080.")
  private @Nullable String url;

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = {
        "The file with the API key. Default: safeconduct/AGENT.key, then safeconduct/key, in"
            + " XDG_CONFIG_HOME or ~/.config."
      })
  private @Nullable Path keyFile;

  @Option(
      names = "--key-stdin",
      description = "Read the API key from standard input and store it in the key file.")
  private boolean keyStdin;

  @Option(
      names = "--key-env",
      description = "Store the API key of SAFECONDUCT_API_KEY in the key file.")
  private boolean keyEnv;

  @Option(
      names = "--local-approval",
      description = "Where an action needs approval, let the agent ask the person at the terminal.")
  private boolean localApproval;

  /** Returns the command line of the agent's hook. */
  HookCommandLine line(String agent, Env env) throws HookFault {
    String id =
        Optional.ofNullable(agentId).or(() -> env.string("SAFECONDUCT_AGENT_ID")).orElse("");
    if (!id.matches("[A-Za-z0-9._:-]{1,128}")) {
      throw new HookFault("Name the passport with --agent-id, as in ap_ and 32 characters.");
    }
    return new HookCommandLine(
        packaged()
            .orElseThrow(() -> new HookFault("bin/safeconduct-hook is missing in this package.")),
        agent,
        address(
            Optional.ofNullable(url)
                .or(() -> env.string("SAFECONDUCT_URL"))
                .orElse("http://127.0.0.1:8080")),
        id,
        Optional.ofNullable(keyFile).map(Path::toAbsolutePath),
        localApproval);
  }

  private static String address(String text) throws HookFault {
    try {
      var address = new URI(text);
      if (List.of("http", "https").contains(String.valueOf(address.getScheme()))
          && address.getHost() != null
          && address.getRawQuery() == null
          && address.getRawFragment() == null
          && address.getUserInfo() == null
          && address.getPort() <= 65535) {
        return text;
      }
    } catch (URISyntaxException _) {
      // It is reported below.
    }
    throw new HookFault(
        "The service's address must begin with http:// or https:// and hold no password: "
            + TextTable.plain(text));
  }

  /** Stores the key where that is asked for, and returns what is wrong with the key. */
  Optional<String> key(HookPlaces places, String agent, String scope, boolean write)
      throws HookFault {
    Path named = keyFile == null ? null : keyFile.toAbsolutePath();
    if (!keyStdin && !keyEnv) {
      return HookKey.of(named, agent, places).fault();
    }
    if (named == null && scope.equals("managed")) {
      throw new HookFault("With --managed, name the key file with --key-file.");
    }
    var key = new HookKey(named == null ? places.keys().resolve(agent + ".key") : named);
    if (scope.equals("project") && key.file().normalize().startsWith(places.project())) {
      throw new HookFault("A key file in the project could be committed: choose another place.");
    }
    if (write) {
      key.store(keyEnv ? places.env().string("SAFECONDUCT_API_KEY").orElse("") : firstLine());
    }
    return Optional.empty();
  }

  private static String firstLine() throws HookFault {
    try {
      var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      return Optional.ofNullable(in.readLine()).orElse("").strip();
    } catch (IOException e) {
      throw new HookFault("Standard input cannot be read: " + e.getMessage());
    }
  }

  /** Returns the hook program of the package that this class is of. */
  static Optional<Path> packaged() {
    for (Path at = CodeLocation.path(); at != null; at = at.getParent()) {
      Path program = at.resolve("bin").resolve("safeconduct-hook");
      if (Files.isRegularFile(program)) {
        return Optional.of(program);
      }
    }
    return Optional.empty();
  }
}
