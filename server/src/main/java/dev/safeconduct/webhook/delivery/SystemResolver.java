package dev.safeconduct.webhook.delivery;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The machine's resolver, asked on threads of its own: it blocks in native code, where a virtual
 * thread would hold the processor it runs on, so that a few names with a silent name server could
 * stop the whole service. A name is asked for once at a time, whoever waits for it.
 */
final class SystemResolver implements Resolver {
  private static final int THREADS = 64;
  private static final int IDLE_SECONDS = 10;

  private final ExecutorService threads = threads();
  private final Map<String, CompletableFuture<List<InetAddress>>> running =
      new ConcurrentHashMap<>();

  private static ExecutorService threads() {
    var threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("webhook-resolver-", 0).daemon().factory());
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  @Override
  public List<InetAddress> resolve(String name) throws UnknownHostException, InterruptedException {
    CompletableFuture<List<InetAddress>> lookup =
        running.computeIfAbsent(
            name, asked -> CompletableFuture.supplyAsync(() -> lookUp(asked), threads));
    try {
      // Taken out also when nobody waits any more: no answer is used twice.
      return lookup.whenComplete((_, _) -> running.remove(name, lookup)).get();
    } catch (ExecutionException e) {
      throw new UnknownHostException(name);
    }
  }

  private static List<InetAddress> lookUp(String name) {
    try {
      return List.of(InetAddress.getAllByName(name));
    } catch (UnknownHostException e) {
      throw new CompletionException(e);
    }
  }
}
