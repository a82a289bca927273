package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The values that the rules of one decision read. An instance belongs to one thread. It caches
 * results that several rules compute from the same text.
 */
public final class Facts {
  private final Capabilities capabilities;
  private final JsonObject context;
  private final Limits limits;
  private final List<JsonObject> params;
  private final Feeds feeds;
  private final Map<String, Object> derived = new HashMap<>(4);

  /**
   * @param capabilities all capabilities of the passport
   * @param context after dialects, without null members, aliases resolved
   * @param params the {@code params} of the capabilities that admit the pack
   */
  public Facts(
      Capabilities capabilities, JsonObject context, Limits limits, List<JsonObject> params) {
    this(capabilities, context, limits, params, Feeds.NONE);
  }

  /** Creates the facts as above, with the feeds that the operator reports. */
  public Facts(
      Capabilities capabilities,
      JsonObject context,
      Limits limits,
      List<JsonObject> params,
      Feeds feeds) {
    this.capabilities = capabilities;
    this.context = context;
    this.limits = limits;
    this.params = List.copyOf(params);
    this.feeds = feeds;
  }

  public JsonObject context() {
    return context;
  }

  public Limits limits() {
    return limits;
  }

  /** Returns all capabilities of the passport. */
  public Capabilities capabilities() {
    return capabilities;
  }

  public List<JsonObject> params() {
    return params;
  }

  public Feeds feeds() {
    return feeds;
  }

  /** Returns the supplier's result, computed once per decision for this name. */
  @SuppressWarnings("unchecked") // one name is always used with one type
  public <T> T once(String name, Supplier<T> supplier) {
    Object known = derived.get(name);
    if (known == null) {
      known = supplier.get();
      derived.put(name, known);
    }
    return (T) known;
  }
}
