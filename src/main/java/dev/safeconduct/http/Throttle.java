package dev.safeconduct.http;

import dev.safeconduct.identity.Caller;

/** Says of a request whose caller is known whether it is one too many. */
@FunctionalInterface
public interface Throttle {
  Allowance take(Route route, Caller caller, String clientAddress);
}
