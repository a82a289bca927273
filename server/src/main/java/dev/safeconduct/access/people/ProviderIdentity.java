package dev.safeconduct.access.people;

import dev.safeconduct.identity.EmailAddress;
import java.util.Optional;
import java.util.Set;

/**
 * What an identity provider says of a person who has just signed in there.
 *
 * @param email only if the provider has verified it
 * @param name may be empty
 * @param session the provider's id of the person's session there
 * @param idToken as it was sent
 */
record ProviderIdentity(
    String issuer,
    String subject,
    Optional<EmailAddress> email,
    String name,
    Set<String> groups,
    Optional<String> session,
    String idToken) {
  ProviderIdentity {
    groups = Set.copyOf(groups);
  }

  @Override
  public String toString() {
    return "ProviderIdentity[hidden]";
  }
}
