/**
 * JSON values, their strict parser, and the RFC 8785 canonical form. Only this package knows the
 * JSON library.
 */
@NullMarked
package dev.safeconduct.json;

import org.jspecify.annotations.NullMarked;
