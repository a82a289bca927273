package dev.safeconduct.testkit;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Makes sockets that record where they connect to, and connect to this machine only. */
public final class RecordingSockets implements Supplier<Socket> {
  private final List<InetAddress> connected = new CopyOnWriteArrayList<>();

  /** What a socket does when it is told to connect. */
  @FunctionalInterface
  public interface Connecting {
    /** Connects the socket, or throws. */
    void connect(Connectable socket, InetSocketAddress to, int timeoutMillis) throws IOException;
  }

  /** A socket that connects as it is told. */
  public static final class Connectable extends Socket {
    private final Connecting connecting;

    private Connectable(Connecting connecting) {
      super(Proxy.NO_PROXY);
      this.connecting = connecting;
    }

    @Override
    public void connect(SocketAddress to, int timeoutMillis) throws IOException {
      connecting.connect(this, (InetSocketAddress) to, timeoutMillis);
    }

    /** Connects in earnest. */
    public void connectTo(InetSocketAddress to, int timeoutMillis) throws IOException {
      super.connect(to, timeoutMillis);
    }
  }

  /** Sockets that connect as the test says. */
  public static Supplier<Socket> that(Connecting connecting) {
    return () -> new Connectable(connecting);
  }

  /** All addresses connected to since the last call, or tried. */
  public List<String> connected() {
    List<String> all = connected.stream().map(InetAddress::getHostAddress).toList();
    connected.clear();
    return all;
  }

  @Override
  public Socket get() {
    return new Connectable((socket, to, timeoutMillis) -> {
      connected.add(to.getAddress());
      if (!to.getAddress().isLoopbackAddress()) {
        throw new ConnectException("tests call nobody but this machine");
      }
      socket.connectTo(to, timeoutMillis);
    });
  }
}
