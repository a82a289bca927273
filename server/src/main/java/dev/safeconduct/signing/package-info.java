/** Ed25519 keys by purpose, sealed at rest under the master key, and the published key set. */
@NullMarked
package dev.safeconduct.signing;

import org.jspecify.annotations.NullMarked;
