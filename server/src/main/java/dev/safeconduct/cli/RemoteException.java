package dev.safeconduct.cli;

/** The running service refused a command, or could not be reached. */
public final class RemoteException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The exit status when there is no response, or no token to send. */
  public static final int UNREACHABLE = 2;

  private final int exitStatus;

  private RemoteException(String message, int exitStatus) {
    super(message);
    this.exitStatus = exitStatus;
  }

  /** Returns an exception for an error response, with the service's own message. */
  static RemoteException refused(String message) {
    return new RemoteException(message, 1);
  }

  /** Returns an exception for a missing response or a missing token. */
  static RemoteException unreachable(String message) {
    return new RemoteException(message, UNREACHABLE);
  }

  /** Returns 1 for a refusal, 2 when there is no response. */
  public int exitStatus() {
    return exitStatus;
  }
}
