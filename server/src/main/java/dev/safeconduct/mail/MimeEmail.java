package dev.safeconduct.mail;

import dev.safeconduct.text.Templates;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Date;

/** An email as a MIME message (RFC 2045, 5322): plain text, and the same text as HTML. */
record MimeEmail(Templates templates, InternetAddress from, InstantSource clock) {
  /** RFC 5322 section 2.1.1; longer lines need an encoding. */
  private static final int MAX_LINE = 998;

  MimeMessage message(Session session, String id, Email email) throws MailTransportException {
    try {
      var message = new NamedMessage(session, "<" + id + "@" + domain() + ">");
      message.setFrom(from);
      message.setRecipient(Message.RecipientType.TO, new InternetAddress(email.to(), true));
      message.setSubject(email.subject(), "UTF-8");
      message.setSentDate(Date.from(clock.instant()));
      message.setHeader("Auto-Submitted", "auto-generated");
      message.setContent(
          new MimeMultipart(
              "alternative",
              part("plain", email.text()),
              part("html", templates.render("mail/email.jte", email))));
      message.saveChanges();
      return message;
    } catch (AddressException e) {
      throw new MailTransportException("the address is not valid", true, e);
    } catch (MessagingException e) {
      throw new MailTransportException("the email cannot be built", true, e);
    }
  }

  private static MimeBodyPart part(String subtype, String text) throws MessagingException {
    var part = new MimeBodyPart();
    part.setText(text.replace("\n", "\r\n"), "UTF-8", subtype);
    part.setHeader("Content-Transfer-Encoding", isPlain(text) ? "7bit" : "quoted-printable");
    return part;
  }

  private static boolean isPlain(String text) {
    return StandardCharsets.US_ASCII.newEncoder().canEncode(text)
        && text.lines().allMatch(line -> line.length() <= MAX_LINE);
  }

  private String domain() {
    String address = from.getAddress();
    return address.substring(address.indexOf('@') + 1);
  }

  /**
   * Uses the same message id at every attempt, so that a second copy is recognized as a duplicate.
   */
  private static final class NamedMessage extends MimeMessage {
    private final String id;

    NamedMessage(Session session, String id) {
      super(session);
      this.id = id;
    }

    @Override
    protected void updateMessageID() throws MessagingException {
      setHeader("Message-ID", id);
    }
  }
}
