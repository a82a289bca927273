/**
 * Compatibility with public clients: conversion of their dialects and older addresses to the
 * current form.
 */
@NullMarked
package dev.safeconduct.compat;

import org.jspecify.annotations.NullMarked;
