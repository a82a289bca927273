package dev.safeconduct.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that only moves when told to. */
public final class MovableClock implements InstantSource {
  private volatile Instant now = Instant.parse("2026-11-21T09:00:00Z");

  @Override
  public Instant instant() {
    return now;
  }

  public void advance(Duration by) {
    now = now.plus(by);
  }
}
