/**
 * A security module that speaks PKCS #11: the secret it makes, the Ed25519 keys it keeps. The
 * service finds it as its {@link dev.safeconduct.signing.KeyMaterial}.
 */
@NullMarked
package dev.safeconduct.pkcs11;

import org.jspecify.annotations.NullMarked;
