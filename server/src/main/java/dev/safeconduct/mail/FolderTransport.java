package dev.safeconduct.mail;

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
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Properties;
import java.util.Set;

/** Writes e-mails into a folder as {@code .eml} files that only their owner may read. */
final class FolderTransport implements MailTransport {
  private final Path folder;
  private final MimeEmail form;
  private final Session session = Session.getInstance(new Properties());

  FolderTransport(Path folder, MimeEmail form) {
    this.folder = folder;
    this.form = form;
  }

  @Override
  public void carry(String id, Email email) throws MailTransportException {
    MimeMessage message = form.message(session, id, email);
    try {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Path unfinished = folder.resolve("." + id + ".tmp");
      Files.deleteIfExists(unfinished);
      var ownerOnly =
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
      try (OutputStream out =
          Channels.newOutputStream(
              Files.newByteChannel(
                  unfinished,
                  Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                  ownerOnly))) {
        message.writeTo(out);
      }
      Files.move(unfinished, folder.resolve(id + ".eml"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | MessagingException e) {
      throw new MailTransportException("it could not be written to " + folder, false, e);
    }
  }
}
