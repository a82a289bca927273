package dev.safeconduct.app;

/** The version of this program. */
public final class Version {
  private Version() {}

  /** The version in the jar's manifest. */
  public static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "(unpackaged)" : version;
  }
}
