package dev.safeconduct.client;

/** The version of this client, which a test compares with the project's. */
final class Version {
  static final String VERSION = "0.1.0";

  private Version() {}
}
