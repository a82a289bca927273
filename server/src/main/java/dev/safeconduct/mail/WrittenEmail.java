package dev.safeconduct.mail;

import jakarta.mail.MessagingException;
import jakarta.mail.Multipart;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An email that was written to the folder because there is no mail server. */
public record WrittenEmail(String to, String subject, String text, Instant at) {
  private static final Logger LOG = LoggerFactory.getLogger(WrittenEmail.class);

  /** Returns the newest emails in the folder; none if the folder does not exist yet. */
  public static List<WrittenEmail> newest(Path folder, int limit) {
    var emails = new ArrayList<WrittenEmail>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file :
          files
              .filter(each -> each.toString().endsWith(".eml"))
              .sorted(Comparator.comparing(WrittenEmail::time).reversed())
              .limit(limit)
              .toList()) {
        read(file).ifPresent(emails::add);
      }
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException e) {
      LOG.warn("{} could not be read: {}", folder, e.getMessage());
    }
    return emails;
  }

  /** Returns the email; empty if the file is not one of the service's, or was removed. */
  private static Optional<WrittenEmail> read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      var message = new MimeMessage(Session.getInstance(new Properties()), in);
      if (message.getContent() instanceof Multipart parts) {
        return Optional.of(
            new WrittenEmail(
                String.valueOf(message.getHeader("To", ", ")),
                String.valueOf(message.getSubject()),
                String.valueOf(parts.getBodyPart(0).getContent()).replace("\r\n", "\n"),
                time(file)));
      }
    } catch (IOException | MessagingException e) {
      LOG.warn("{} could not be read: {}", file, e.getMessage());
    }
    return Optional.empty();
  }

  private static Instant time(Path file) {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException _) {
      return Instant.EPOCH; // removed since
    }
  }

  /** Leaves out the text, which has a link. */
  @Override
  public String toString() {
    return "WrittenEmail[" + subject + "]";
  }
}
