package dev.safeconduct.decision.facts;

import dev.safeconduct.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the rules of one decision look at. Belongs to one thread; keeps what several rules work out
 * from the same text.
 */
public final class Facts {
  private final JsonObject passport;
  private final JsonObject context;
  private final Limits limits;
  private final List<JsonObject> params;
  private final Feeds feeds;
  private final Map<String, Object> derived = new HashMap<>();

  /**
   * @param context after dialects, without null members, aliases resolved
   * @param params the {@code params} of the capabilities that admit the pack
   */
  public Facts(JsonObject passport, JsonObject context, Limits limits, List<JsonObject> params) {
    this(passport, context, limits, params, Feeds.NONE);
  }

  /** As above, with what the operator reports of the world. */
  public Facts(
      JsonObject passport,
      JsonObject context,
      Limits limits,
      List<JsonObject> params,
      Feeds feeds) {
    this.passport = passport;
    this.context = context;
    this.limits = limits;
    this.params = List.copyOf(params);
    this.feeds = feeds;
  }

  public JsonObject passport() {
    return passport;
  }

  public JsonObject context() {
    return context;
  }

  public Limits limits() {
    return limits;
  }

  /** Everything the passport may do. */
  public Capabilities capabilities() {
    return once("capabilities", () -> new Capabilities(passport));
  }

  public List<JsonObject> params() {
    return params;
  }

  public Feeds feeds() {
    return feeds;
  }

  /** What the supplier gives, worked out once per decision under this name. */
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
