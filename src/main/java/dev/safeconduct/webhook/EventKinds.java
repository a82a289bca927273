package dev.safeconduct.webhook;

import java.util.List;
import java.util.Set;

/** The names of kinds of events in {@code events}; there is one kind, with two spellings. */
final class EventKinds {
  static final List<String> DEFAULT = List.of(StatusEvent.TYPE);

  private static final Set<String> STATUS_CHANGE = Set.of(StatusEvent.TYPE, "status.changed");

  private EventKinds() {}

  static boolean isStatusChange(String name) {
    return STATUS_CHANGE.contains(name);
  }
}
