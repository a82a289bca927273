package dev.safeconduct.webhook;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.jspecify.annotations.Nullable;

/**
 * Says what went wrong with a connection, in words of ours: the exception's own may hold text that
 * the receiver sent.
 */
final class Failures {
  private static final int DEPTH = 8;

  private Failures() {}

  static String sentence(ReceiverUrl url, Throwable cause) {
    return switch (cause) {
      case UnknownHostException _ -> "The name " + url.host() + " could not be looked up.";
      case SocketTimeoutException _ -> "The receiver could not be reached in time.";
      case NoRouteToHostException _ -> "There is no route to the receiver.";
      case ConnectException _ -> "The receiver refused the connection.";
      case SSLException tls ->
          isAboutCertificate(tls)
              ? "The receiver's certificate is not valid for " + url.host() + "."
              : "No TLS connection could be made.";
      case MessageConstraintException _ -> "The receiver's answer has too long a head.";
      case NoHttpResponseException _, ConnectionClosedException _, TruncatedChunkException _ ->
          "The receiver closed the connection before its answer was complete.";
      case HttpException _ -> "The receiver's answer is not HTTP.";
      default -> "The connection to the receiver broke.";
    };
  }

  private static boolean isAboutCertificate(@Nullable Throwable fault) {
    Throwable at = fault;
    for (int i = 0; i < DEPTH && at != null; i++) {
      if (at instanceof GeneralSecurityException) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }
}
