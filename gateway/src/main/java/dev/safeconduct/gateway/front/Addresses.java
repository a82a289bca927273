package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.config.HttpConfig;
import java.net.URI;

/** The addresses of the endpoints and of what describes them, as clients see them. */
final class Addresses {
  /** Where RFC 9728 section 3.1 puts the metadata of a resource: before the resource's path. */
  static final String METADATA = "/.well-known/oauth-protected-resource";

  private final String origin;
  private final String prefix;

  Addresses(HttpConfig config, int port) {
    URI url = config.publicUrl();
    if (url == null) {
      String host = config.host().contains(":") ? "[" + config.host() + "]" : config.host();
      origin = "http://" + host + ":" + port;
      prefix = "";
    } else {
      origin = url.getScheme() + "://" + url.getRawAuthority();
      prefix = url.getRawPath().replaceAll("/+$", "");
    }
  }

  String endpoint(String name) {
    return origin + prefix + "/mcp/" + name;
  }

  String metadata(String name) {
    return origin + METADATA + prefix + "/mcp/" + name;
  }

  /** Returns the path of a request for metadata that a proxy may pass on with its own prefix. */
  boolean isMetadata(String path, String name) {
    return path.equals(METADATA + prefix + "/mcp/" + name)
        || path.equals(METADATA + "/mcp/" + name);
  }
}
