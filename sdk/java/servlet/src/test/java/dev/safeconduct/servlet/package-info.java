@NullMarked
package dev.safeconduct.servlet;

import org.jspecify.annotations.NullMarked;
