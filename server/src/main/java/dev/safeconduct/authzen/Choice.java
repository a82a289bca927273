package dev.safeconduct.authzen;

import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.Obligation;
import java.util.List;
import java.util.Optional;

/** The pack that evaluates an action, or the reason why no pack does. */
sealed interface Choice {
  /**
   * A pack that evaluates the action.
   *
   * @param digest the digest of the chosen version
   * @param capabilities the capabilities that admit the pack
   * @param model the subjects, actions and resources that the pack lists, if any
   */
  record Pack(
      String policyId,
      String digest,
      List<String> capabilities,
      Optional<AccessModel> model,
      List<Obligation> obligations)
      implements Choice {}

  /** No pack or more than one pack matches the action. {@code status}: 404 or 409. */
  record None(int status, String message) implements Choice {}
}
