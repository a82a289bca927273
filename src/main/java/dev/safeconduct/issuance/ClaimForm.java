package dev.safeconduct.issuance;

import java.util.List;

/**
 * The page that asks a human whether an agent is theirs; {@code claim/open.jte}.
 *
 * @param asker who had the passport issued
 * @param abilities what the agent may do, a sentence each
 * @param isNew whether the human has no account yet
 * @param problem why the form has to be sent again; empty for the first time
 */
public record ClaimForm(
    String name,
    String description,
    String agentId,
    String status,
    String asker,
    String issuedOn,
    List<String> abilities,
    String email,
    boolean isNew,
    String csrfToken,
    String problem) {
  public ClaimForm {
    abilities = List.copyOf(abilities);
  }
}
