package dev.safeconduct.trace;

/** Told how a decision comes about. */
public interface Progress {
  /** Nobody listens. */
  Progress UNHEARD = new Unheard();

  /** A stage is over: auth, policy, usage, sign or store. */
  void mark(String stage);

  /** Whether {@link #decided} reaches anybody: what it is told need not be found out otherwise. */
  boolean isTraced();

  /**
   * A decision stands. Nothing of its context is told.
   *
   * @param policy the pack's id, or {@code in_body}: what such a pack calls itself is the caller's
   *     text
   * @param code of the deciding reason
   * @param id under which it is recorded
   */
  void decided(String policy, boolean allow, String code, String id);

  /** For one of several decisions at once: its stages are its own. */
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
