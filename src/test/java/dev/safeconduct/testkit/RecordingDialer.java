package dev.safeconduct.testkit;

import dev.safeconduct.webhook.Dialer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down where connections are made to, and makes only those to this machine. */
public final class RecordingDialer implements Dialer {
  private final List<InetAddress> dialed = new CopyOnWriteArrayList<>();

  /** All addresses dialed since the last call. */
  public List<String> dialed() {
    List<String> all = dialed.stream().map(InetAddress::getHostAddress).toList();
    dialed.clear();
    return all;
  }

  @Override
  public Socket dial(InetAddress address, int port, Duration timeout) throws IOException {
    dialed.add(address);
    if (!address.isLoopbackAddress()) {
      throw new ConnectException("tests call nobody but this machine");
    }
    return Dialer.TCP.dial(address, port, timeout);
  }
}
