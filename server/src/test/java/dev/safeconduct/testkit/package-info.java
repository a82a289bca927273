/**
 * What tests of several rooms share: a client of the running service, its published contract, and
 * real servers of others.
 */
@NullMarked
package dev.safeconduct.testkit;

import org.jspecify.annotations.NullMarked;
