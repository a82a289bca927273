package dev.safeconduct.mail;

import dev.safeconduct.html.Templates;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.nio.file.Path;
import java.time.InstantSource;

/** Creates the transport that the settings ask for. */
public final class MailTransports {
  private MailTransports() {}

  /**
   * Returns the SMTP transport when a server is set, else the folder transport.
   *
   * @param folder is created with the first e-mail
   */
  public static MailTransport of(
      MailConfig config, Path folder, Templates templates, InstantSource clock) {
    try {
      var form = new MimeEmail(templates, new InternetAddress(config.from(), true), clock);
      return config.smtp().isPresent()
          ? new SmtpTransport(config.smtp().get(), form, null)
          : new FolderTransport(folder, form);
    } catch (AddressException e) {
      throw new IllegalArgumentException("the sender's address was checked before", e);
    }
  }
}
