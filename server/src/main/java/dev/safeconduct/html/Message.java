package dev.safeconduct.html;

/** A page that only shows a message; {@code page/message.jte}. */
public record Message(String title, String text) {}
