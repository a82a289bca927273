/** The command line and the configuration file. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.config;
