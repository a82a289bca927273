package dev.safeconduct.decision.path;

import java.util.List;
import java.util.stream.Stream;

/**
 * The path lists that apply to every passport (validators section 2.5). CORE is always active. The
 * limit {@code disable_default_blocks} turns DEFAULT off. They hold for every reading of a path
 * ({@link PathReadings}).
 */
public final class BuiltInPaths {
  private static final List<String> READ_CORE_PATTERNS =
      patterns(
          """
          /etc/shadow, /etc/shadow-, /etc/gshadow, /etc/gshadow-
          /etc/master.passwd, /private/etc/master.passwd
          /etc/security/opasswd, /etc/sudoers, /etc/sudoers.d/**
          /proc/**/environ, /proc/**/mem, /proc/**/maps, /proc/**/smaps, /proc/**/pagemap
          /proc/**/auxv, /proc/kcore, /dev/mem, /dev/kmem, /dev/core
          **/.ssh/id_*
          C:/Windows/System32/config/**, C:/Windows/NTDS/**
          /Windows/System32/config/**, /Windows/NTDS/**
          """);

  private static final List<String> READ_DEFAULT_PATTERNS =
      patterns(
          """
          **/.ssh/**, **/id_rsa*, **/id_dsa*, **/id_ecdsa*, **/id_ed25519*
          **/.env, **/.env.*, **/.envrc
          **/*.pem, **/*.key, **/*.p12, **/*.pfx, **/*.jks, **/*.keystore, **/*.ppk, **/*.kdbx
          **/.aws/**, **/.azure/**, **/.config/gcloud/**, **/.gnupg/**, **/.kube/**
          **/.docker/config.json, **/.netrc, **/_netrc, **/.npmrc, **/.pypirc, **/.pgpass
          **/.my.cnf, **/.vault-token, **/.git-credentials, **/.config/gh/hosts.yml
          **/.cargo/credentials*, **/.claude/.credentials.json, **/.codex/auth.json
          **/.gemini/oauth_creds.json, **/.htpasswd, **/credentials, **/credentials.json
          **/secrets.json, **/secrets.yaml, **/secrets.yml, **/secrets.toml
          **/.bash_history, **/.zsh_history, **/.python_history, **/.psql_history
          **/.mysql_history
          /run/secrets/**, /var/run/secrets/**, /proc/*/cmdline, /proc/*/fd/**
          """);

  private static final List<String> WRITE_CORE_PATTERNS =
      patterns(
          """
          /bin, /sbin, /boot, /dev, /etc, /lib, /lib32, /lib64, /libx32, /proc, /sys, /usr
          /System, /Library, /private/etc
          C:/Windows, C:/Program Files, C:/Program Files (x86), C:/PROGRA~*/**
          C:/ProgramData/Microsoft/Windows/Start Menu
          /Windows, /Program Files, /Program Files (x86), /PROGRA~*/**
          /ProgramData/Microsoft/Windows/Start Menu
          """);

  private static final List<String> WRITE_DEFAULT_PATTERNS =
      Stream.of(
              // keys and accounts
              """
              **/.ssh/**, **/.gnupg/**, **/.aws/**, **/.kube/**, **/.docker/config.json
              **/authorized_keys, **/.env, **/.env.*, **/.envrc, **/.npmrc, **/.pypirc
              **/.netrc, **/.pgpass, **/.git-credentials
              """,
              // git
              """
              **/.gitconfig, **/.config/git/**, **/.git/hooks/**, **/.git/config
              **/.git/config.worktree, **/.git/info/attributes
              """,
              // files that programs read when they start
              """
              **/.bashrc, **/.bash_profile, **/.bash_login, **/.bash_logout, **/.bash_aliases
              **/.profile, **/.zshrc, **/.zshenv, **/.zprofile, **/.zlogin, **/.zlogout
              **/.kshrc, **/.cshrc, **/.tcshrc, **/.login, **/.config/fish/**, **/.inputrc
              **/.pam_environment, **/.config/environment.d/**, **/.xprofile, **/.xinitrc
              **/.xsession, **/.xsessionrc, **/.vimrc, **/.config/nvim/**, **/.emacs
              **/.emacs.d/**, **/.gdbinit, **/.psqlrc, **/.curlrc, **/.wgetrc, **/pip.conf
              """,
              // scheduled jobs, and what the system starts
              """
              /var/spool/cron/**, /var/spool/at/**, **/.config/systemd/**
              **/systemd/system/**, **/systemd/user/**, **/.config/autostart/**
              **/Library/LaunchAgents/**, **/Library/LaunchDaemons/**
              """,
              // settings by which an agent is guarded or started
              """
              **/.claude/settings*.json, **/.claude/hooks/**, **/.claude.json, **/.mcp.json
              **/.cursor/hooks.json, **/.cursor/hooks/**, **/.cursor/mcp.json, **/.codex/**
              **/.gemini/settings.json, **/.github/hooks/**, **/.github/copilot/**
              **/.copilot/**, **/.vscode/settings.json, **/.vscode/tasks.json
              **/.vscode/mcp.json, **/.windsurf/hooks.json, **/.codeium/windsurf/hooks.json
              **/.opencode/**, **/opencode.json, **/opencode.jsonc, **/.config/opencode/**
              **/.openclaw/**, **/.agents/plugins/**, **/.config/goose/**, **/.kiro/hooks/**
              **/.amazonq/**, **/.safeconduct/**
              """)
          .flatMap(lines -> patterns(lines).stream())
          .toList();

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

  private static List<String> patterns(String lines) {
    return List.of(lines.strip().split(", |\n"));
  }
}
