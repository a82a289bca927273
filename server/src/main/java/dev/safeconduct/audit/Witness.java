package dev.safeconduct.audit;

import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.VerifierKey;
import java.net.URI;
import java.util.Optional;

/**
 * A witness that the operator trusts.
 *
 * @param address where it takes checkpoints (C2SP tlog-witness), without {@code /add-checkpoint};
 *     empty when somebody else brings them to it
 */
public record Witness(VerifierKey key, Optional<URI> address) {
  /** The form of the setting, for messages. */
  public static final String FORM =
      "the verifier key of a witness (name+hash+key, algorithm 4), or the key, a space and the"
          + " witness's http or https address";

  /** Parses the {@link #FORM}; empty when it is not valid. */
  public static Optional<Witness> parse(String text) {
    String[] parts = text.strip().split("\\s+", -1);
    Optional<URI> address = parts.length == 2 ? address(parts[1]) : Optional.empty();
    return parts.length > 2 || address.isPresent() != (parts.length == 2)
        ? Optional.empty()
        : VerifierKey.parse(parts[0])
            .filter(key -> key.algorithm() == SignedNote.COSIGNATURE)
            .map(key -> new Witness(key, address));
  }

  private static Optional<URI> address(String text) {
    try {
      URI address = URI.create(text.replaceAll("/+$", ""));
      boolean web = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
      return web && address.getHost() != null ? Optional.of(address) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
