/**
 * The service's composition root: {@code Application} creates the feature modules from the
 * settings.
 */
@NullMarked
package dev.safeconduct.app;

import org.jspecify.annotations.NullMarked;
