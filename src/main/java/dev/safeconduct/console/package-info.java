/** The console: pages for the people who watch over agents, made of what the HTTP contract says. */
@NullMarked
package dev.safeconduct.console;

import org.jspecify.annotations.NullMarked;
