package dev.safeconduct.text;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Objects that are expensive to make and not in use. Each has one user at a time; a few places
 * suffice, because nobody holds one while it waits.
 */
public final class Spares<T> {
  private static final int PLACES = 8;

  private final AtomicReferenceArray<@Nullable T> places = new AtomicReferenceArray<>(PLACES);

  /** Returns an object that nobody else uses; null when none was found. */
  public @Nullable T take() {
    for (int place = 0; place < PLACES; place++) {
      if (places.getPlain(place) != null) {
        T found = places.getAndSet(place, null);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  /** Keeps an object, which its user must not use any more; drops it when there are enough. */
  public void giveBack(T object) {
    for (int place = 0; place < PLACES; place++) {
      if (places.getPlain(place) == null && places.compareAndSet(place, null, object)) {
        return;
      }
    }
  }
}
