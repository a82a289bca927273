package dev.safeconduct.authzen;

import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.Obligation;
import java.util.List;
import java.util.Optional;

/** Which pack judges an action, or why none does. */
sealed interface Choice {
  /**
   * A pack that judges it.
   *
   * @param digest of the version this speaks of
   * @param capabilities those that admit the pack
   * @param model the subjects, actions and resources it knows, if it speaks of any
   */
  record Pack(
      String policyId,
      String digest,
      List<String> capabilities,
      Optional<AccessModel> model,
      List<Obligation> obligations)
      implements Choice {}

  /** Nothing judges it, or more than one pack would. {@code status}: 404 or 409. */
  record None(int status, String message) implements Choice {}
}
