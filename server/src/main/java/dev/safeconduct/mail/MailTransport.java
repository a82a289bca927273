package dev.safeconduct.mail;

import dev.safeconduct.text.Templates;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.nio.file.Path;
import java.time.InstantSource;

/** Sends emails. */
public interface MailTransport {
  /**
   * Sends the email.
   *
   * @param id unique for each email; the same at every attempt
   * @throws MailTransportException when it is not certain that the email was accepted
   */
  void carry(String id, Email email) throws MailTransportException;

  /**
   * Returns the SMTP transport when a server is set, else the folder transport.
   *
   * @param folder is created with the first email
   */
  static MailTransport of(
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
