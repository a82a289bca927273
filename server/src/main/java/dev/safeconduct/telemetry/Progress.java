package dev.safeconduct.telemetry;

/** Receives the progress of a decision. */
public interface Progress {
  /** Ignores all notifications. */
  Progress UNHEARD = new Unheard();

  /** Ends a stage: auth, policy, usage, sign or store. */
  void mark(String stage);

  /**
   * Returns whether {@link #decided} has an effect; otherwise its arguments need not be computed.
   */
  boolean isTraced();

  /**
   * Reports a decision, without any of its context.
   *
   * @param policy the pack's id, or {@code in_body}: the name of a pack in the body is the caller's
   *     text
   * @param code of the deciding reason
   * @param id of its record
   */
  void decided(String policy, boolean allow, String code, String id);

  /** Returns the progress of one of several concurrent decisions, with its own stages. */
  Progress part();

  /** Does nothing. */
  final class Unheard implements Progress {
    private Unheard() {}

    @Override
    public void mark(String stage) {}

    @Override
    public boolean isTraced() {
      return false;
    }

    @Override
    public void decided(String policy, boolean allow, String code, String id) {}

    @Override
    public Progress part() {
      return this;
    }
  }
}
