package dev.safeconduct.gateway.identity;

import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.HttpConfig;
import dev.safeconduct.gateway.relay.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds out whom a request is from. Thread-safe. */
public final class Identities {
  private static final int MAX_TOKEN_LENGTH = 16 << 10;
  private static final String SCHEME = "Bearer ";

  private final List<StaticToken> tokens;
  private final List<TokenIssuer> issuers;
  private final @Nullable Principal anonymous;

  /**
   * Reads the keys of the issuers.
   *
   * @param agentId the passport of requests without a token, where those are allowed
   * @throws ConfigException when nobody could call, or keys cannot be read
   */
  public Identities(HttpConfig config, @Nullable String agentId) throws ConfigException {
    if (config.anonymous() && agentId == null) {
      throw new ConfigException("http.anonymous needs agent_id.");
    }
    anonymous = config.anonymous() && agentId != null ? new Principal("anonymous", agentId) : null;
    tokens =
        config.tokens().stream()
            .map(each ->
                new StaticToken(
                    each.sha256(), new Principal("token:" + each.name(), each.agentId())))
            .toList();
    var read = new ArrayList<TokenIssuer>();
    for (HttpConfig.Issuer issuer : config.issuers()) {
      read.add(new TokenIssuer(issuer));
    }
    issuers = List.copyOf(read);
    if (anonymous == null && tokens.isEmpty() && issuers.isEmpty()) {
      throw new ConfigException("http has no tokens and no issuers: nobody could call.");
    }
  }

  /**
   * Returns whom the request is from.
   *
   * @param authorization the header; null when the request has none
   * @param endpoint the endpoint's address, which a JWT must name
   */
  public Optional<Principal> of(@Nullable String authorization, String endpoint) {
    if (authorization == null) {
      return Optional.ofNullable(anonymous);
    }
    if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.empty();
    }
    String token = authorization.substring(SCHEME.length()).strip();
    if (token.isEmpty() || token.length() > MAX_TOKEN_LENGTH) {
      return Optional.empty();
    }
    byte[] digest = StaticToken.digest(token);
    Optional<Principal> known =
        tokens.stream()
            .filter(each -> each.matches(digest))
            .map(StaticToken::principal)
            .findFirst();
    return known.isPresent()
        ? known
        : issuers.stream().flatMap(each -> each.principal(token, endpoint).stream()).findFirst();
  }

  /** Returns the authorization servers whose tokens are accepted. */
  public List<String> issuers() {
    return issuers.stream().map(TokenIssuer::issuer).toList();
  }
}
