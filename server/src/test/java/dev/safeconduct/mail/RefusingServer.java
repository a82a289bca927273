package dev.safeconduct.mail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A mail server that answers every recipient with the same refusal. */
final class RefusingServer implements AutoCloseable {
  private final ServerSocket socket;
  private final String refusal;

  RefusingServer(String refusal) throws IOException {
    this.socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    this.refusal = refusal;
    Thread.ofVirtual().start(this::serve);
  }

  int port() {
    return socket.getLocalPort();
  }

  private void serve() {
    while (!socket.isClosed()) {
      try (Socket client = socket.accept();
          var in =
              new BufferedReader(
                  new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))) {
        say(client.getOutputStream(), "220 here");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          String command = line.toUpperCase(Locale.ROOT);
          say(
              client.getOutputStream(),
              command.startsWith("RCPT")
                  ? refusal
                  : command.startsWith("QUIT") ? "221 bye" : "250 fine");
        }
      } catch (IOException _) {
        // The client went away, or the test is over.
      }
    }
  }

  private static void say(OutputStream out, String line) throws IOException {
    out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
