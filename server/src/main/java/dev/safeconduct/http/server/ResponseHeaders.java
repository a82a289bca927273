package dev.safeconduct.http.server;

/** The headers of a response; names are case-insensitive. */
public interface ResponseHeaders {
  /** Sets the header and replaces all others of that name. */
  void set(String name, String value);

  /** Adds the header to those of that name. */
  void add(String name, String value);

  void remove(String name);
}
