package dev.safeconduct.identity;

/**
 * Whose things a query may see. Every reading port takes one, so a query without an owner cannot be
 * written.
 */
public sealed interface Tenant {
  /** Only this organization's. */
  record One(OrgId org) implements Tenant {}

  /** Every organization's; for the admin credential alone. */
  record Everyone() implements Tenant {}

  default boolean sees(OrgId owner) {
    return switch (this) {
      case One one -> one.org().equals(owner);
      case Everyone _ -> true;
    };
  }
}
