package dev.safeconduct.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A counter with labels. The caller must bound the number of label values. */
public final class LabeledCounter {
  private final MeterRegistry registry;
  private final String name;
  private final String about;
  private final String[] labels;
  private final Map<List<String>, Counter> counters = new ConcurrentHashMap<>();

  LabeledCounter(MeterRegistry registry, String name, String about, String... labels) {
    this.registry = registry;
    this.name = name;
    this.about = about;
    this.labels = labels.clone();
  }

  /** Adds one; a value for each label, in their order. */
  public void count(String... values) {
    counters.computeIfAbsent(List.of(values), this::counter).increment();
  }

  private Counter counter(List<String> values) {
    String[] tags = new String[2 * labels.length];
    Arrays.setAll(tags, i -> i % 2 == 0 ? labels[i / 2] : values.get(i / 2));
    return Counter.builder(name).description(about).tags(tags).register(registry);
  }
}
