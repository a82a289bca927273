package dev.safeconduct.decision;

import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.CounterPrecondition;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.Window;
import dev.safeconduct.policy.expression.State;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads counters for one evaluation and records an assumption about each. The result of an
 * expression that reads a counter is valid only while the counter has not grown.
 */
final class CounterReader implements State {
  private final Usage usage;
  private final List<String> scope;
  private final List<CounterPrecondition> conditions = new ArrayList<>();

  CounterReader(Usage usage, List<String> scope) {
    this.usage = usage;
    this.scope = scope;
  }

  CounterKey key(String name, String window, String by) {
    var parts = new ArrayList<>(scope);
    parts.add(name);
    parts.add(window);
    parts.add(by);
    return CounterKey.of(parts.toArray(String[]::new));
  }

  long total(CounterKey key) {
    return usage.total(key);
  }

  void assume(CounterKey key, long atMost) {
    conditions.add(new CounterPrecondition(key, atMost));
  }

  List<CounterPrecondition> conditions() {
    return conditions;
  }

  private double observe(String name, Window window, String by) {
    CounterKey key = key(name, window.wire(), by);
    long total = usage.total(key);
    assume(key, total);
    return total;
  }

  @Override
  public double daySum(String name, String key) {
    return observe(name, Window.DAY, key);
  }

  @Override
  public double dayCount(String name) {
    return observe(name, Window.DAY, "");
  }

  @Override
  public double windowCount(String name, int seconds, String key) {
    return observe(name, Window.reaching(seconds), key);
  }

  @Override
  public boolean seenKey(String key) {
    return observe(KEYS, Window.ROLLING_DAY, key) > 0;
  }

  @Override
  public boolean setHas(String set, String member) {
    return observe(set, Window.FOREVER, member) > 0;
  }
}
