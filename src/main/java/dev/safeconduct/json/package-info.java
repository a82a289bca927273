/**
 * JSON values, their strict parser, and the RFC 8785 canonical form; the only room that knows the
 * JSON library.
 */
@NullMarked
package dev.safeconduct.json;

import org.jspecify.annotations.NullMarked;
