package dev.safeconduct.mail;

import dev.safeconduct.config.Secret;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.MimeMessage;
import java.util.Optional;
import java.util.Properties;
import javax.net.ssl.SSLSocketFactory;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;

/** Sends emails to a mail server (RFC 5321), one connection for each. */
final class SmtpTransport implements MailTransport {
  private static final String TIMEOUT_MS = "15000";

  private final MailConfig.Smtp server;
  private final MimeEmail form;
  private final Session session;

  /**
   * @param trusted how TLS connections are made, in place of the JVM's own way
   */
  SmtpTransport(
      MailConfig.Smtp server,
      MimeEmail form,
      @org.jspecify.annotations.Nullable SSLSocketFactory trusted) {
    this.server = server;
    this.form = form;
    String at = "mail." + protocol() + ".";
    var properties = new Properties();
    properties.put(at + "connectiontimeout", TIMEOUT_MS);
    properties.put(at + "timeout", TIMEOUT_MS);
    properties.put(at + "writetimeout", TIMEOUT_MS);
    properties.put(at + "ssl.checkserveridentity", "true");
    properties.put(at + "auth", Boolean.toString(server.login().isPresent()));
    if (!server.tls()) {
      properties.put(
          at + "starttls.enable", Boolean.toString(server.startTls() != MailConfig.StartTls.NEVER));
      properties.put(
          at + "starttls.required",
          Boolean.toString(server.startTls() == MailConfig.StartTls.REQUIRED));
    }
    if (trusted != null) {
      properties.put(at + "ssl.socketFactory", trusted);
    }
    this.session = Session.getInstance(properties);
  }

  private String protocol() {
    return server.tls() ? "smtps" : "smtp";
  }

  @Override
  public void carry(String id, Email email) throws MailTransportException {
    MimeMessage message = form.message(session, id, email);
    try (Transport transport = session.getTransport(protocol())) {
      transport.connect(
          server.host(),
          server.port(),
          server.login().orElse(null),
          server.password().map(Secret::reveal).orElse(null));
      transport.sendMessage(message, message.getAllRecipients());
    } catch (MessagingException e) {
      throw new MailTransportException(
          "the mail server " + server.host() + " did not take it", isForGood(e), e);
    }
  }

  /**
   * Returns whether the failure is permanent: a server that answers 5xx for the recipient will
   * repeat that.
   */
  private static boolean isForGood(MessagingException fault) {
    for (Optional<Exception> cause = Optional.of(fault);
        cause.isPresent();
        cause = next(cause.get())) {
      if (cause.get() instanceof SMTPAddressFailedException refused) {
        return refused.getReturnCode() >= 500;
      }
    }
    return false;
  }

  private static Optional<Exception> next(Exception fault) {
    return fault instanceof SendFailedException failed
        ? Optional.ofNullable(failed.getNextException())
        : Optional.empty();
  }
}
