package dev.safeconduct.audit.stream;

import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Sends syslog over TLS (RFC 5425) or TCP. Syslog has no acknowledgement, so the end of a
 * connection serves as one: this side ends its half, and the receiver closes the other half once it
 * has read everything. A kernel that still holds unread data of a process that has ended sends a
 * reset instead (RFC 1122 section 4.2.2.13), which this side sees as an error.
 *
 * <p>The next connection is opened before the previous one is ended. So there is always a
 * connection whose end tells that the receiver has gone.
 */
final class SyslogReceiver implements StreamReceiver {
  private static final int CONNECT_MS = 10_000;

  /** How long the receiver may take to read what is on its way. */
  private static final int CONFIRM_MS = 60_000;

  private static final Duration CONFIRM_EVERY = Duration.ofSeconds(2);
  private static final int BUFFER = 64 << 10;

  /** A receiver that talks without end does not hold up the stream. */
  private static final int MOST_UNUSED = 16;

  private final AuditStream stream;
  private final SyslogMessage form;
  private volatile @Nullable Connection current;
  private volatile @Nullable Connection ending;

  SyslogReceiver(AuditStream stream, SyslogMessage form) {
    this.stream = stream;
    this.form = form;
  }

  /**
   * A connection.
   *
   * @param raw below TLS; all reading is done here, since the receiver says nothing that matters
   */
  private record Connection(Socket raw, Socket socket, OutputStream out) {
    /** Ends this side's half and waits for the other's. */
    void end() throws IOException {
      out.flush();
      if (socket instanceof SSLSocket tls) {
        tls.shutdownOutput(); // close_notify, RFC 5425 section 4.4
      }
      raw.shutdownOutput();
      long deadline = System.nanoTime() + Duration.ofMillis(CONFIRM_MS).toNanos();
      raw.setSoTimeout(CONFIRM_MS);
      InputStream in = raw.getInputStream();
      byte[] unused = new byte[1024];
      while (in.read(unused) >= 0) {
        if (System.nanoTime() - deadline > 0) {
          throw new SocketTimeoutException("the receiver does not end the connection");
        }
      }
    }

    void check() throws IOException {
      raw.setSoTimeout(1);
      try {
        byte[] unused = new byte[1024];
        for (int i = 0; i < MOST_UNUSED; i++) { // TLS has messages of its own
          if (raw.getInputStream().read(unused) < 0) {
            throw new EOFException("the receiver has closed the connection");
          }
        }
      } catch (SocketTimeoutException _) {
        // The usual case: the connection is open, and the receiver has nothing to say.
      } catch (SocketException e) {
        throw (IOException) new EOFException("the connection has ended: " + e).initCause(e);
      }
    }

    void close() {
      try {
        raw.close();
      } catch (IOException _) {
        // Nothing more is expected of it.
      }
    }
  }

  @Override
  public Optional<Rejection> send(List<StreamRecord> records) throws IOException {
    Connection connection = current;
    if (connection == null) {
      connection = open();
      current = connection;
    }
    connection.check();
    for (StreamRecord record : records) {
      form.write(record, connection.out());
    }
    connection.out().flush();
    return Optional.empty();
  }

  @Override
  public void confirm() throws IOException {
    Connection before = current;
    if (before == null) {
      throw new IOException("the connection was closed");
    }
    Connection next = open();
    ending = before;
    current = next;
    try {
      before
          .check(); // an end that came first is no confirmation: the receiver may have been killed
      before.end();
    } finally {
      before.close();
      ending = null;
    }
    next.check();
  }

  @Override
  public Duration confirmEvery() {
    return CONFIRM_EVERY;
  }

  @Override
  public void check() throws IOException {
    Connection connection = current;
    if (connection != null) {
      connection.check();
    }
  }

  private Connection open() throws IOException {
    var raw = new Socket();
    try {
      raw.setTcpNoDelay(true);
      raw.setKeepAlive(true);
      String host = stream.url().getHost();
      String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
      raw.connect(new InetSocketAddress(name, stream.port()), CONNECT_MS);
      Socket socket = raw;
      if (stream.protocol() == AuditStream.Protocol.SYSLOG_TLS) {
        raw.setSoTimeout(CONNECT_MS);
        socket = secured(raw, name);
      }
      return new Connection(
          raw, socket, new BufferedOutputStream(socket.getOutputStream(), BUFFER));
    } catch (IOException e) {
      raw.close();
      throw e;
    } catch (GeneralSecurityException e) {
      raw.close();
      throw new IOException("the certificates cannot be used: " + e.getMessage(), e);
    }
  }

  private SSLSocket secured(Socket raw, String name) throws IOException, GeneralSecurityException {
    var tls =
        (SSLSocket)
            stream
                .options()
                .tls()
                .context()
                .getSocketFactory()
                .createSocket(raw, name, stream.port(), false);
    SSLParameters parameters = tls.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the rules of RFC 5425 section 5.2
    tls.setSSLParameters(parameters);
    tls.startHandshake();
    return tls;
  }

  @Override
  public void close() {
    Connection connection = current;
    Connection old = ending;
    current = null;
    if (connection != null) {
      connection.close();
    }
    if (old != null) {
      old.close();
    }
  }
}
