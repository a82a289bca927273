package dev.safeconduct.client;

import java.security.Provider;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Settings of a client. */
public final class SafeconductBuilder {
  @Nullable String baseUrl;
  @Nullable String apiKey;
  @Nullable String agentId;
  Duration timeout = Duration.ofSeconds(2);
  Duration pollInterval = Duration.ofSeconds(2);
  @Nullable KeySet keys;
  @Nullable Boolean requireSignature;
  boolean cache;
  boolean minimalContext;
  Consumer<String> onUnavailable = message -> {};
  @Nullable SSLContext tls;
  @Nullable Provider signatures;

  SafeconductBuilder() {}

  /** Sets the service's address; default: {@code SAFECONDUCT_URL}. */
  public SafeconductBuilder baseUrl(String url) {
    baseUrl = url;
    return this;
  }

  /** Sets the API key; default: {@code SAFECONDUCT_API_KEY}. */
  public SafeconductBuilder apiKey(String key) {
    apiKey = key;
    return this;
  }

  /** Sets the agent of actions that name none; default: {@code SAFECONDUCT_AGENT_ID}. */
  public SafeconductBuilder agentId(String id) {
    agentId = id;
    return this;
  }

  /** Sets the time for one call with its retries; default: 2 s. */
  public SafeconductBuilder timeout(Duration longest) {
    if (longest.isNegative() || longest.isZero() || longest.toHours() > 0) {
      throw new IllegalArgumentException("timeout is not between 0 and 1 hour");
    }
    timeout = longest;
    return this;
  }

  /** Sets the pause between two questions about an approval; default: 2 s. */
  public SafeconductBuilder pollInterval(Duration interval) {
    pollInterval = interval;
    return this;
  }

  /** Pins the service's key set; default: fetched from {@code /jwks.json}. */
  public SafeconductBuilder keys(KeySet pinned) {
    keys = pinned;
    return this;
  }

  /**
   * Sets whether decisions without a valid signature are refused. Default: refused, unless the
   * service publishes no key set.
   */
  public SafeconductBuilder requireSignature(boolean required) {
    requireSignature = required;
    return this;
  }

  /**
   * Uses an allow again for the same question as long as its {@code expires_in} says. The client
   * then follows the stream of revocations, and uses no stored allow while that is broken.
   */
  public SafeconductBuilder cache() {
    cache = true;
    return this;
  }

  /** Sends only the members that the policy declares, for built-in policies. */
  public SafeconductBuilder minimalContext() {
    minimalContext = true;
    return this;
  }

  /** Is called with the reason when the service did not answer; cannot change the outcome. */
  public SafeconductBuilder onUnavailable(Consumer<String> callback) {
    onUnavailable = callback;
    return this;
  }

  /** Sets the TLS context, for a private certificate authority. */
  public SafeconductBuilder sslContext(SSLContext context) {
    tls = context;
    return this;
  }

  /** Sets what checks Ed25519 signatures; default, or null: Java's first provider of Ed25519. */
  public SafeconductBuilder signatureProvider(@Nullable Provider provider) {
    signatures = provider;
    return this;
  }

  /**
   * Makes the client.
   *
   * @throws IllegalArgumentException if a setting is missing or not valid
   */
  public Safeconduct build() {
    return new Safeconduct(this);
  }
}
