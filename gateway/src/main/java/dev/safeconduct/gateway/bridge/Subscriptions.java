package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Which notifications of a server's session go to which {@code subscriptions/listen}. */
final class Subscriptions {
  private static final List<String> KINDS = List.of("tools", "prompts", "resources");
  private static final String CHANGED = "ListChanged";

  private final BiConsumer<String, String> server;
  private final Map<Object, Subscription> open = new ConcurrentHashMap<>();

  private record Subscription(Object id, Set<String> methods, Set<String> uris, Outlet outlet) {
    void send(String method, Map<String, @Nullable Object> params) {
      outlet.send(
          Message.notification(
              method, Translation.withMeta(params, Map.of(Revision.SUBSCRIPTION, id))));
    }
  }

  /**
   * Starts without subscriptions.
   *
   * @param server takes a method and the URI of a resource
   */
  Subscriptions(BiConsumer<String, String> server) {
    this.server = server;
  }

  /** Opens a stream with those of the wanted notifications that the server has. */
  void open(Message request, Outlet outlet, @Nullable Object capabilities) {
    Map<String, @Nullable Object> wanted =
        Message.objectOrEmpty(request.params().get("notifications"));
    Map<String, @Nullable Object> offered = Message.objectOrEmpty(capabilities);
    var honored = new LinkedHashMap<String, @Nullable Object>();
    Set<String> methods = new LinkedHashSet<>();
    for (String kind : KINDS) {
      boolean hasChanges =
          Boolean.TRUE.equals(Message.objectOrEmpty(offered.get(kind)).get("listChanged"));
      if (hasChanges && Boolean.TRUE.equals(wanted.get(kind + CHANGED))) {
        honored.put(kind + CHANGED, true);
        methods.add("notifications/" + kind + "/list_changed");
      }
    }
    Set<String> uris = new LinkedHashSet<>();
    boolean canSubscribe =
        Boolean.TRUE.equals(Message.objectOrEmpty(offered.get("resources")).get("subscribe"));
    if (canSubscribe && wanted.get("resourceSubscriptions") instanceof List<?> list) {
      for (Object each : list) {
        if (!(each instanceof String uri)) {
          // Its text would be another resource than the one that was decided on.
          outlet.send(
              Message.error(
                  request.id(),
                  RpcError.of(RpcError.INVALID_PARAMS, "A URI of a resource is not a string.")));
          return;
        }
        uris.add(uri);
      }
      honored.put("resourceSubscriptions", List.copyOf(uris));
    }
    Object id = Objects.requireNonNull(request.id());
    var subscription = new Subscription(id, methods, uris, outlet);
    Set<String> known = uris();
    subscription.send("notifications/subscriptions/acknowledged", Map.of("notifications", honored));
    open.put(id, subscription);
    uris.stream()
        .filter(uri -> !known.contains(uri))
        .forEach(uri -> server.accept("resources/subscribe", uri));
  }

  private Set<String> uris() {
    Set<String> uris = new LinkedHashSet<>();
    open.values().forEach(each -> uris.addAll(each.uris()));
    return uris;
  }

  /** Passes a notification to who wants it. */
  void tell(Message notification) {
    Object uri = notification.params().get("uri");
    for (Subscription each : open.values()) {
      boolean isUpdate = notification.method().equals("notifications/resources/updated");
      if (isUpdate
          ? each.uris().contains(String.valueOf(uri))
          : each.methods().contains(notification.method())) {
        each.send(notification.method(), notification.params());
      }
    }
  }

  /** Ends all streams, as the server has ended the session: their clients can open others. */
  void end(RpcError reason) {
    open.values()
        .removeIf(each -> {
          each.outlet().send(Message.error(each.id(), reason));
          return true;
        });
  }

  /** Ends a stream. */
  void close(Object id) {
    Subscription closed = open.remove(id);
    if (closed != null) {
      Set<String> left = uris();
      closed.uris().stream()
          .filter(uri -> !left.contains(uri))
          .forEach(uri -> server.accept("resources/unsubscribe", uri));
    }
  }
}
