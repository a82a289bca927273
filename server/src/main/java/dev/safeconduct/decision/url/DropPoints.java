package dev.safeconduct.decision.url;

import dev.safeconduct.text.Words;
import java.util.Set;

/**
 * Public paste, upload and tunnel services that are common targets of data theft. They and all
 * names below them are blocked unless the owner disables the default blocks (validator catalogue
 * 3.2).
 */
final class DropPoints {
  private static final Set<String> NAMES =
      Words.set(
          """
          pastebin.com paste.ee hastebin.com dpaste.com ghostbin.com ix.io sprunge.us 0x0.st
          transfer.sh file.io gofile.io anonfiles.com bashupload.com temp.sh webhook.site
          requestbin.com requestbin.net pipedream.net ngrok.io ngrok-free.app ngrok.app
          interact.sh oast.pro oast.fun oast.live oast.site burpcollaborator.net
          """);

  private DropPoints() {}

  /** Whether the host is one of the services. All services have exactly two labels. */
  static boolean include(Host host) {
    if (!(host instanceof HostName(String name))) {
      return false;
    }
    int dot = name.lastIndexOf('.', name.lastIndexOf('.') - 1);
    return NAMES.contains(name.substring(dot + 1));
  }
}
