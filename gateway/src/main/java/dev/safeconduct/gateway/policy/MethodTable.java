package dev.safeconduct.gateway.policy;

import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The methods that the gateway knows ({@code methods.json}); it refuses all others. */
public final class MethodTable {
  private static final MethodTable STANDARD = read();

  private final Map<String, Handling> requests = new HashMap<>();
  private final Set<String> clientNotifications;
  private final Set<String> serverNotifications;

  private MethodTable(Map<String, @Nullable Object> table) {
    Message.objectOrEmpty(table.get("requests"))
        .forEach((method, row) -> requests.put(method, handling(Message.objectOrEmpty(row))));
    clientNotifications = names(table.get("client_notifications"));
    serverNotifications = names(table.get("server_notifications"));
  }

  /** Returns the table of the protocol revisions 2024-11-05 to 2026-07-28. */
  public static MethodTable standard() {
    return STANDARD;
  }

  private static MethodTable read() {
    try (InputStream in =
        Objects.requireNonNull(MethodTable.class.getResourceAsStream("methods.json"))) {
      return new MethodTable(Message.objectOrEmpty(Json.parse(in.readAllBytes())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Handling handling(Map<String, @Nullable Object> row) {
    String tool = String.valueOf(row.get("tool"));
    return switch (String.valueOf(row.get("how"))) {
      case "pass" -> new Handling.Pass();
      case "call" -> new Handling.CallTool();
      case "tools" -> new Handling.ListTools();
      case "ask" -> new Handling.Ask(tool);
      case "list" -> new Handling.ListAll(tool, String.valueOf(row.get("member")));
      case "listen" -> new Handling.Listen(tool);
      case "own_task" -> new Handling.OwnTask();
      case "update_task" -> new Handling.UpdateTask();
      case "tasks" -> new Handling.ListTasks();
      default -> throw new IllegalStateException("methods.json: " + row);
    };
  }

  private static Set<String> names(@Nullable Object list) {
    return list instanceof List<?> names
        ? names.stream().map(String::valueOf).collect(Collectors.toUnmodifiableSet())
        : Set.of();
  }

  /** Returns what happens to a request; empty for one that is refused. */
  public Optional<Handling> request(String method) {
    return Optional.ofNullable(requests.get(method));
  }

  /** Whether a notification of a client may pass. */
  public boolean mayClientNotify(String method) {
    return clientNotifications.contains(method);
  }

  /** Whether a notification of a server may pass. */
  public boolean mayServerNotify(String method) {
    return serverNotifications.contains(method);
  }
}
