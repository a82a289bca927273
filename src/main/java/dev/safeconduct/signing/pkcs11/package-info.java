/** A security module that speaks PKCS #11: the secret it makes, the Ed25519 keys it keeps. */
@NullMarked
package dev.safeconduct.signing.pkcs11;

import org.jspecify.annotations.NullMarked;
