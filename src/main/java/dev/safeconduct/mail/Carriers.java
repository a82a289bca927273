package dev.safeconduct.mail;

import dev.safeconduct.page.Templates;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.nio.file.Path;
import java.time.InstantSource;

/** Makes the way out that the settings ask for. */
public final class Carriers {
  private Carriers() {}

  /**
   * By SMTP where a server is set, else into the folder.
   *
   * @param folder is made with the first letter
   */
  public static Carrier of(
      MailConfig config, Path folder, Templates templates, InstantSource clock) {
    try {
      var form = new MimeLetter(templates, new InternetAddress(config.from(), true), clock);
      return config.smtp().isPresent()
          ? new SmtpCarrier(config.smtp().get(), form, null)
          : new FolderCarrier(folder, form);
    } catch (AddressException e) {
      throw new IllegalArgumentException("the sender's address was checked before", e);
    }
  }
}
