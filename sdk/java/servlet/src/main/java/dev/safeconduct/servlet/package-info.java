/** Verifies the agent that calls a web application. */
@NullMarked
package dev.safeconduct.servlet;

import org.jspecify.annotations.NullMarked;
