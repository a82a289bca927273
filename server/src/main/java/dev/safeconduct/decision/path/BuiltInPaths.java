package dev.safeconduct.decision.path;

import java.util.List;
import java.util.stream.Stream;

/**
 * The path lists that apply to every passport (validators section 2.5). CORE is always active. The
 * limit {@code disable_default_blocks} turns DEFAULT off.
 */
public final class BuiltInPaths {
  private static final List<String> READ_CORE_PATTERNS =
      List.of(
          "/etc/shadow",
          "/etc/shadow-",
          "/etc/gshadow",
          "/etc/gshadow-",
          "/etc/sudoers",
          "/etc/sudoers.d/**",
          "/proc/*/environ",
          "/proc/*/mem",
          "/dev/mem",
          "/dev/kmem",
          "**/.ssh/id_*");

  private static final List<String> READ_DEFAULT_PATTERNS =
      List.of(
          "**/.ssh/**",
          "**/id_rsa*",
          "**/id_dsa*",
          "**/id_ecdsa*",
          "**/id_ed25519*",
          "**/.env",
          "**/.env.*",
          "**/*.pem",
          "**/*.key",
          "**/*.p12",
          "**/*.pfx",
          "**/*.kdbx",
          "**/.aws/**",
          "**/.gnupg/**",
          "**/.kube/**",
          "**/.docker/config.json",
          "**/.netrc",
          "**/.npmrc",
          "**/.pypirc",
          "**/.git-credentials",
          "**/.htpasswd",
          "**/credentials",
          "**/credentials.json",
          "**/secrets.json",
          "**/secrets.yaml",
          "**/secrets.yml",
          "**/secrets.toml",
          "**/.bash_history",
          "**/.zsh_history");

  private static final List<String> WRITE_CORE_PATTERNS =
      List.of(
          "/bin",
          "/sbin",
          "/boot",
          "/dev",
          "/etc",
          "/lib",
          "/lib32",
          "/lib64",
          "/proc",
          "/sys",
          "/usr",
          "/System",
          "/Library",
          "/private/etc",
          "C:/Windows",
          "C:/Program Files",
          "C:/Program Files (x86)");

  private static final List<String> WRITE_DEFAULT_PATTERNS =
      List.of(
          "**/.ssh/**",
          "**/.gnupg/**",
          "**/.aws/**",
          "**/.kube/**",
          "**/.bashrc",
          "**/.bash_profile",
          "**/.profile",
          "**/.zshrc",
          "**/.zprofile",
          "**/.git/hooks/**",
          "**/.git/config",
          "**/authorized_keys",
          "/var/spool/cron/**",
          "**/.env",
          "**/.env.*",
          "**/.npmrc",
          "**/.netrc",
          "**/.git-credentials");

  /** Paths that a command may not name without permission, besides blocked read paths (4.5). */
  private static final List<String> SYSTEM_DIRECTORIES =
      List.of("/etc", "/sys", "/proc", "/boot", "/root");

  public static final PathSet READ_CORE = PathSet.of(READ_CORE_PATTERNS);
  public static final PathSet READ_DEFAULT = PathSet.of(READ_DEFAULT_PATTERNS);
  public static final PathSet WRITE_CORE = PathSet.of(WRITE_CORE_PATTERNS);
  public static final PathSet WRITE_DEFAULT = PathSet.of(WRITE_DEFAULT_PATTERNS);

  /** The sensitive paths of a command line (validators section 4.5). */
  public static final PathSet SENSITIVE =
      PathSet.of(
          Stream.of(SYSTEM_DIRECTORIES, READ_CORE_PATTERNS, READ_DEFAULT_PATTERNS)
              .flatMap(List::stream)
              .toList());

  private BuiltInPaths() {}
}
