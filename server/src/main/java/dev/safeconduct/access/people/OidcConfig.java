package dev.safeconduct.access.people;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.config.Pem;
import dev.safeconduct.config.Secret;
import dev.safeconduct.identity.Role;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * The settings of sign-in at an identity provider by OpenID Connect.
 *
 * @param issuer exactly as the provider spells it
 * @param authorities who vouches for the provider's certificate; empty for those that the JVM
 *     trusts
 * @param client this service at the provider
 * @param name of the provider, as the sign-in page shows it
 * @param groupsClaim the claim that lists a person's groups
 * @param roles the roles that groups give
 * @param only whether people can sign in at the provider alone, and not by password
 */
public record OidcConfig(
    String issuer,
    Optional<Authorities> authorities,
    Client client,
    String name,
    List<String> scopes,
    String groupsClaim,
    List<GroupRole> roles,
    boolean only) {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final int MOST_NAME = 60;

  public OidcConfig {
    scopes = List.copyOf(scopes);
    roles = List.copyOf(roles);
  }

  /** This service at the provider. */
  public record Client(String id, Secret secret) {}

  /** The certificate authorities of a PEM file. */
  public record Authorities(Path file, SSLContext tls) {}

  /**
   * A group and the role that it gives.
   *
   * @param org the id of an organization, or {@link #FIRST}
   */
  public record GroupRole(String group, String org, Role role) {
    /** Stands for the organization that the first start creates. */
    public static final String FIRST = "first";
  }

  /** Returns the settings; empty when {@code OIDC_ISSUER} is not set. */
  public static Optional<OidcConfig> from(Env env) {
    Optional<String> issuer = env.string("OIDC_ISSUER");
    Optional<Authorities> authorities = authorities(env);
    Optional<String> clientId = env.string("OIDC_CLIENT_ID");
    Optional<Secret> secret = env.secret("OIDC_CLIENT_SECRET", 8);
    Optional<String> name = env.string("OIDC_NAME");
    List<String> scopes =
        List.of(env.string("OIDC_SCOPES", "openid email profile").strip().split("\\s+", -1));
    String groupsClaim = env.string("OIDC_GROUPS_CLAIM", "groups");
    List<GroupRole> roles = roles(env);
    boolean only = env.bool("OIDC_ONLY", false);
    if (issuer.isEmpty()) {
      if (clientId.isPresent()
          || authorities.isPresent()
          || secret.isPresent()
          || !roles.isEmpty()
          || only) {
        env.fault("OIDC_ISSUER", "is missing; the other OIDC settings need it");
      }
      return Optional.empty();
    }
    if (!isIssuer(issuer.get())) {
      env.fault(
          "OIDC_ISSUER",
          "must be an https address without user, query or fragment; http only on a loopback host");
      return Optional.empty();
    }
    if (!scopes.contains("openid")) {
      env.fault("OIDC_SCOPES", "must contain openid");
    }
    if (name.isPresent() && name.get().length() > MOST_NAME) {
      env.fault("OIDC_NAME", "must have at most " + MOST_NAME + " characters");
    }
    if (clientId.isEmpty()) {
      env.fault("OIDC_CLIENT_ID", "is missing; the provider gives it when you register the client");
    }
    if (secret.isEmpty() && env.string("OIDC_CLIENT_SECRET").isEmpty()) {
      env.fault("OIDC_CLIENT_SECRET", "is missing; the provider gives it with the client's id");
    }
    return Optional.of(
        new OidcConfig(
            issuer.get(),
            authorities,
            new Client(clientId.orElse(""), secret.orElseGet(() -> new Secret(""))),
            name.orElseGet(() -> URI.create(issuer.get()).getHost()),
            scopes,
            groupsClaim,
            roles,
            only));
  }

  private static Optional<Authorities> authorities(Env env) {
    Optional<Path> file = env.string("OIDC_CA").map(Path::of);
    try {
      return file.isEmpty()
          ? Optional.empty()
          : Optional.of(new Authorities(file.get(), Pem.trusting(file.get())));
    } catch (IOException | GeneralSecurityException e) {
      env.fault("OIDC_CA", "cannot be used: " + FileFault.shown(e));
      return Optional.empty();
    }
  }

  /** Returns whether the address is https, or http on this machine itself. */
  static boolean isSafe(URI address) {
    String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
    String host = String.valueOf(address.getHost()).toLowerCase(Locale.ROOT);
    return address.getHost() != null
        && (scheme.equals("https") || (scheme.equals("http") && LOOPBACK.contains(host)));
  }

  private static boolean isIssuer(String text) {
    try {
      URI address = new URI(text);
      return isSafe(address)
          && address.getRawUserInfo() == null
          && address.getRawQuery() == null
          && address.getRawFragment() == null;
    } catch (URISyntaxException _) {
      return false;
    }
  }

  /** Reads {@code group=organization:role,...}; a group's name may contain = and :. */
  private static List<GroupRole> roles(Env env) {
    var roles = new ArrayList<GroupRole>();
    for (String entry : env.list("OIDC_GROUP_ROLES")) {
      Optional<GroupRole> role = role(entry);
      if (role.isEmpty()) {
        env.fault(
            "OIDC_GROUP_ROLES",
            "has the entry \""
                + entry
                + "\"; each is group=organization:role with an organization's id or \"first\", and"
                + " owner, admin, member or auditor");
      }
      role.ifPresent(roles::add);
    }
    return roles;
  }

  private static Optional<GroupRole> role(String entry) {
    int equals = entry.lastIndexOf('=');
    int colon = entry.lastIndexOf(':');
    if (equals < 1 || colon < equals) {
      return Optional.empty();
    }
    String group = entry.substring(0, equals).strip();
    String org = entry.substring(equals + 1, colon).strip();
    boolean known = org.equals(GroupRole.FIRST) || org.matches("org_[A-Za-z0-9_-]{1,60}");
    return group.isEmpty() || !known
        ? Optional.empty()
        : Role.parse(entry.substring(colon + 1).strip())
            .map(role -> new GroupRole(group, org, role));
  }
}
