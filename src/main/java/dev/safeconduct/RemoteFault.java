package dev.safeconduct;

/** The running service refused what a command asked for, or was not reached. */
final class RemoteFault extends Exception {
  private static final long serialVersionUID = 1L;

  /** The command ends with it when there is no answer, or nothing to ask with. */
  static final int UNREACHABLE = 2;

  private final int exitStatus;

  private RemoteFault(String message, int exitStatus) {
    super(message);
    this.exitStatus = exitStatus;
  }

  /** The service answered with an error, which is said in its own words. */
  static RemoteFault refused(String message) {
    return new RemoteFault(message, 1);
  }

  /** There was no answer, or nothing to ask with. */
  static RemoteFault unreachable(String message) {
    return new RemoteFault(message, UNREACHABLE);
  }

  int exitStatus() {
    return exitStatus;
  }
}
