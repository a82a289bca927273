package dev.safeconduct.text;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is made once, at its first use: for what no start and few requests need.
 *
 * @param <T> the type of the value, which threads may share
 */
public final class Lazy<T> implements Supplier<T> {
  private final Supplier<T> maker;
  private volatile @Nullable T value;

  public Lazy(Supplier<T> maker) {
    this.maker = maker;
  }

  @Override
  public T get() {
    T made = value;
    if (made == null) {
      synchronized (this) {
        made = value;
        if (made == null) {
          made = maker.get();
          value = made;
        }
      }
    }
    return made;
  }
}
