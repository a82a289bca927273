package dev.safeconduct.gateway.http;

import dev.safeconduct.gateway.rpc.Message;
import java.util.List;
import java.util.Optional;

/** The revisions of MCP and where a message names its own. */
public final class Revision {
  /** The first revision without sessions. */
  public static final String STATELESS = "2026-07-28";

  /** The revisions that start with {@code initialize}, newest first. */
  public static final List<String> WITH_SESSIONS =
      List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");

  private static final String META = "io.modelcontextprotocol/";

  /** The member of {@code _meta} that names the revision of a request. */
  public static final String VERSION = META + "protocolVersion";

  /** The member of {@code _meta} that describes the client. */
  public static final String CLIENT_INFO = META + "clientInfo";

  /** The member of {@code _meta} that lists what the client can do. */
  public static final String CAPABILITIES = META + "clientCapabilities";

  /** The member of {@code _meta} that asks for log messages. */
  public static final String LOG_LEVEL = META + "logLevel";

  /** The member of {@code _meta} that names the request of a subscription. */
  public static final String SUBSCRIPTION = META + "subscriptionId";

  /** The member of {@code _meta} that describes the server. */
  public static final String SERVER_INFO = META + "serverInfo";

  /** The error of a request whose headers and body differ. */
  public static final int HEADER_MISMATCH = -32020;

  /** The error of a request that needs a capability of the client. */
  public static final int MISSING_CAPABILITY = -32021;

  /** The error of a request of another revision. */
  public static final int UNSUPPORTED_VERSION = -32022;

  private Revision() {}

  /** Returns the revision that a request without a session names in its {@code _meta}. */
  public static Optional<String> of(Message message) {
    return message.meta().get(VERSION) instanceof String version
        ? Optional.of(version)
        : Optional.empty();
  }

  /** Returns what {@code Mcp-Name} repeats, where the method has it. */
  public static Optional<String> name(Message message) {
    String member =
        switch (message.method()) {
          case "tools/call", "prompts/get" -> "name";
          case "resources/read" -> "uri";
          case "tasks/get", "tasks/update", "tasks/cancel" -> "taskId";
          default -> "";
        };
    return message.params().get(member) instanceof String name
        ? Optional.of(name)
        : Optional.empty();
  }
}
