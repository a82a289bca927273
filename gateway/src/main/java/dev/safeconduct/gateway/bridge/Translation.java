package dev.safeconduct.gateway.bridge;

import dev.safeconduct.gateway.rpc.Message;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What differs between messages of the two kinds of revisions. */
final class Translation {
  static final String CANCELLED = "notifications/cancelled";

  private static final String RESERVED = "io.modelcontextprotocol/";

  /** Capabilities with another meaning, or none, in the other kind of revision. */
  private static final Set<String> OTHER_CAPABILITIES = Set.of("tasks", "extensions");

  private Translation() {}

  /** Returns the parameters with these members of {@code _meta} instead of the protocol's. */
  static Map<String, @Nullable Object> withMeta(
      Map<String, @Nullable Object> params, Map<String, @Nullable Object> protocol) {
    Map<String, @Nullable Object> meta = new LinkedHashMap<>();
    Message.objectOrEmpty(params.get("_meta"))
        .forEach((name, value) -> {
          if (!name.startsWith(RESERVED)) {
            meta.put(name, value);
          }
        });
    meta.putAll(protocol);
    Map<String, @Nullable Object> changed = new LinkedHashMap<>(params);
    if (meta.isEmpty()) {
      changed.remove("_meta");
    } else {
      changed.put("_meta", meta);
    }
    return changed;
  }

  /** Returns the capabilities that mean the same in both. */
  static Map<String, @Nullable Object> capabilities(@Nullable Object declared) {
    Map<String, @Nullable Object> common = new LinkedHashMap<>(Message.objectOrEmpty(declared));
    common.keySet().removeAll(OTHER_CAPABILITIES);
    return common;
  }

  /** Returns the capability that a client declares for a request of a server. */
  static String capability(String method) {
    return method.substring(0, Math.max(0, method.indexOf('/')));
  }

  /** Tells whether a request of a server is one for the user or the model of the client. */
  static boolean isInput(String method) {
    return Set.of("elicitation/create", "sampling/createMessage", "roots/list").contains(method);
  }
}
