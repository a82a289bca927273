package dev.safeconduct.mail;

/** Sends e-mails. */
public interface MailTransport {
  /**
   * Sends the e-mail.
   *
   * @param id unique for each e-mail; the same at every attempt
   * @throws MailTransportException when it is not certain that the e-mail was accepted
   */
  void carry(String id, Email letter) throws MailTransportException;
}
