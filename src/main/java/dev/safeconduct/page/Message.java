package dev.safeconduct.page;

/** A page that only says something; {@code page/message.jte}. */
public record Message(String title, String text) {}
