package dev.safeconduct.http.server;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The headers of a request; names are case-insensitive. */
public interface RequestHeaders {
  boolean contains(String name);

  /** Returns the value of the first header of that name, or null. */
  @Nullable String first(String name);

  /** Returns the values of all headers of that name, in order. */
  List<String> all(String name);
}
