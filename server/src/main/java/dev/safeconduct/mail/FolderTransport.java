package dev.safeconduct.mail;

import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.text.Lazy;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Properties;
import java.util.Set;

/** Writes emails into a folder as {@code .eml} files that only their owner may read. */
final class FolderTransport implements MailTransport {
  private final Path folder;
  private final MimeEmail form;
  private final Lazy<Session> session = new Lazy<>(() -> Session.getInstance(new Properties()));

  FolderTransport(Path folder, MimeEmail form) {
    this.folder = folder;
    this.form = form;
  }

  @Override
  public void carry(String id, Email email) throws MailTransportException {
    MimeMessage message = form.message(session.get(), id, email);
    try {
      OwnerOnly.make(folder);
      Path unfinished = folder.resolve("." + id + ".tmp");
      Files.deleteIfExists(unfinished);
      try (OutputStream out =
          Channels.newOutputStream(
              Files.newByteChannel(
                  unfinished,
                  Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                  OwnerOnly.NEW_FILE))) {
        message.writeTo(out);
      }
      Files.move(unfinished, folder.resolve(id + ".eml"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | MessagingException e) {
      throw new MailTransportException("it could not be written to " + folder, false, e);
    }
  }
}
