@NullMarked
package dev.safeconduct.client;

import org.jspecify.annotations.NullMarked;
