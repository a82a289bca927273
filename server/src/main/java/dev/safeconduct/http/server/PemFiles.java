package dev.safeconduct.http.server;

import java.nio.file.Path;

/** PEM files: the certificate chain, leaf first, and its private key (PKCS #8). */
public record PemFiles(Path certificate, Path privateKey) {}
