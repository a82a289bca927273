package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.policy.Pins;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.OwnRequest;
import dev.safeconduct.gateway.upstream.Upstream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The tools that the server lists, and whether they are what was pinned. Before a call it reads the
 * list itself, when it is unknown, older than a minute, or the server said that it changed.
 */
final class ToolCatalog {
  private static final long MAX_AGE_NANOS = Duration.ofMinutes(1).toNanos();
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(10);
  private static final Duration LONGEST_LIST = Duration.ofSeconds(20);
  private static final int MAX_PAGES = 100;

  /** How many tools each session remembers; more than are pinned, to tell why others are hidden. */
  private static final int MAX_TOOLS = 2 * Pins.MAX_TOOLS;

  private final Upstream upstream;
  private final String server;
  private final Pins pins;
  private volatile Map<String, Boolean> isChanged = Map.of();

  /** Tools with several definitions on different pages. */
  private volatile Set<String> ambiguous = Set.of();

  /** Whether the list has more pages than are read. */
  private volatile boolean isCut;

  private volatile long readAt;
  private volatile boolean isStale = true;

  ToolCatalog(Upstream upstream, String server, Pins pins) {
    this.upstream = upstream;
    this.server = server;
    this.pins = pins;
  }

  /** What is known of a tool. */
  enum ToolState {
    SAME,
    CHANGED,
    NOT_LISTED
  }

  /** Notes that the server's list may have changed. */
  void forget() {
    isStale = true;
  }

  /**
   * Returns those tools of a page for a client that it must not see, as far as is known of the
   * other pages. If the page differs from what is known, the list is read again before the next
   * call.
   *
   * @throws IOException if the pins cannot be read or written
   */
  Set<String> hidden(List<Map<String, @Nullable Object>> page) throws IOException {
    boolean isKnown = !isStale; // else the other pages may have changed, too
    Set<String> changed = changed(page);
    for (Map<String, @Nullable Object> tool : page) {
      String name = String.valueOf(tool.get("name"));
      Boolean known = isChanged.get(name);
      if (isKnown && (ambiguous.contains(name) || (isCut && known == null))) {
        changed.add(name); // A call is refused.
      } else if (!Boolean.valueOf(changed.contains(name)).equals(known)) {
        forget();
      }
    }
    return changed;
  }

  /**
   * Returns those tools of a page that changed, or that nobody can compare: they have no canonical
   * form, or two definitions.
   *
   * @throws IOException if the pins cannot be read or written
   */
  private Set<String> changed(List<Map<String, @Nullable Object>> page) throws IOException {
    var digests = new HashMap<String, String>();
    var changed = new HashSet<String>();
    for (Map<String, @Nullable Object> tool : page) {
      if (tool.get("name") instanceof String name) {
        try {
          String digest = Pins.digest(tool);
          if (!digest.equals(digests.getOrDefault(name, digest))) {
            changed.add(name);
          }
          digests.put(name, digest);
        } catch (IllegalArgumentException e) {
          changed.add(name);
        }
      }
    }
    digests.keySet().removeAll(changed);
    changed.addAll(pins.changed(server, digests));
    return changed;
  }

  /**
   * Returns what is known of a tool, after reading the list if need be.
   *
   * @param call the client's call, whose protocol version the reading uses
   * @throws IOException if the list or the pins cannot be read
   */
  ToolState state(String tool, Message call) throws IOException {
    if (isStale || System.nanoTime() - readAt > MAX_AGE_NANOS) {
      readAll(call);
    }
    Boolean changed = isChanged.get(tool);
    return changed == null ? ToolState.NOT_LISTED : changed ? ToolState.CHANGED : ToolState.SAME;
  }

  private synchronized void readAll(Message call) throws IOException {
    if (!isStale && System.nanoTime() - readAt <= MAX_AGE_NANOS) {
      return; // another thread read it
    }
    isStale = false; // a change during the reading is noted again
    try {
      var all = new HashMap<String, Boolean>();
      var several = new HashSet<String>();
      long start = System.nanoTime();
      String cursor = null;
      int pages = 0;
      do {
        Map<String, @Nullable Object> result = readPage(call, cursor);
        List<Map<String, @Nullable Object>> page = tools(result);
        Set<String> changed = changed(page);
        for (Map<String, @Nullable Object> tool : page) {
          String name = String.valueOf(tool.get("name"));
          boolean isKnown = all.containsKey(name);
          if (!isKnown && (all.size() == MAX_TOOLS || name.length() > Pins.MAX_NAME_LENGTH)) {
            continue;
          }
          if (all.merge(name, changed.contains(name), Boolean::logicalOr) && isKnown) {
            several.add(name);
          }
        }
        if (System.nanoTime() - start > LONGEST_LIST.toNanos()) {
          throw new IOException("the server takes too long to list its tools");
        }
        cursor = result.get("nextCursor") instanceof String next ? next : null;
      } while (cursor != null && ++pages < MAX_PAGES && all.size() < MAX_TOOLS);
      isChanged = all;
      ambiguous = several;
      isCut = cursor != null || all.size() == MAX_TOOLS;
      readAt = System.nanoTime();
    } catch (IOException e) {
      isStale = true;
      throw e;
    }
  }

  /** Returns the tools of a page. */
  static List<Map<String, @Nullable Object>> tools(Map<String, @Nullable Object> result) {
    var tools = new ArrayList<Map<String, @Nullable Object>>();
    if (result.get("tools") instanceof List<?> list) {
      list.forEach(tool -> tools.add(Message.objectOrEmpty(tool)));
    }
    return tools;
  }

  /** Returns a page; an empty one if the server has no tools. */
  private Map<String, @Nullable Object> readPage(Message call, @Nullable String cursor)
      throws IOException {
    var params = new LinkedHashMap<String, @Nullable Object>();
    if (!call.meta().isEmpty()) {
      var meta = new LinkedHashMap<String, @Nullable Object>(call.meta());
      meta.remove("progressToken");
      params.put("_meta", meta);
    }
    if (cursor != null) {
      params.put("cursor", cursor);
    }
    Message list = Message.request("safeconduct-" + UUID.randomUUID(), "tools/list", params);
    Message answer =
        OwnRequest.answer(upstream, list, Forwarded.none(), LONGEST_ANSWER)
            .orElseThrow(() -> new IOException("the server did not list its tools"));
    Map<String, @Nullable Object> result = answer.result();
    Map<String, @Nullable Object> error = answer.error();
    boolean hasNone =
        error != null
            && error.get("code") instanceof Number code
            && code.longValue() == RpcError.METHOD_NOT_FOUND;
    if (error != null && !hasNone) {
      throw new IOException("the server does not list its tools: error " + error.get("code"));
    }
    return result == null ? Map.of() : result;
  }
}
