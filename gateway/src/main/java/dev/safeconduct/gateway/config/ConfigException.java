package dev.safeconduct.gateway.config;

/** A command line or configuration file that is not valid. The message says where and why. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1;

  /** Makes one; the message never has a secret. */
  public ConfigException(String message) {
    super(message);
  }
}
