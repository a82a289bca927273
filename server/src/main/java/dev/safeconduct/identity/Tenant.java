package dev.safeconduct.identity;

/**
 * The organizations whose data a query may read. Reading methods take one, so that no query omits
 * the owner.
 */
public sealed interface Tenant {
  /** Only the data of this organization. */
  record One(OrgId org) implements Tenant {}

  /** The data of every organization; for the admin credential only. */
  record Everyone() implements Tenant {}

  default boolean sees(OrgId owner) {
    return switch (this) {
      case One one -> one.org().equals(owner);
      case Everyone _ -> true;
    };
  }
}
