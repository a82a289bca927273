@NullMarked
package dev.safeconduct.pkcs11;

import org.jspecify.annotations.NullMarked;
