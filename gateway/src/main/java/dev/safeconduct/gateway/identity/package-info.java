/** Who a client over HTTP is: bearer tokens and the passports that they stand for. */
@NullMarked
package dev.safeconduct.gateway.identity;

import org.jspecify.annotations.NullMarked;
