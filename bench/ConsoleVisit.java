import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What console-scale.sh does with a running console: signs a person in, times every page, watches with
 * many browsers.
 */
final class ConsoleVisit {
  private static final String PASSWORD = "a password of the load run";

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "session" -> System.out.println(session(args[1], args[2], args[3]));
      case "pages" -> pages(args);
      case "watch" -> watch(args[1], args[2], Integer.parseInt(args[3]), args[4]);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String cookies(HttpResponse<?> answer) {
    return String.join(
        "; ",
        answer.headers().allValues("Set-Cookie").stream()
            .map(line -> line.substring(0, line.indexOf(';')))
            .toList());
  }

  /** Sets the owner's password by their link, signs in, and gives the cookies. */
  private static String session(String base, String link, String email) throws Exception {
    HttpResponse<String> page = send(HttpRequest.newBuilder(URI.create(link)));
    Matcher token =
        Pattern.compile("name=\"csrf_token\" value=\"([^\"]+)\"").matcher(page.body());
    if (!token.find()) {
      throw new IllegalStateException("no form: " + page.body());
    }
    send(
        HttpRequest.newBuilder(URI.create(link))
            .header("Cookie", cookies(page))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Sec-Fetch-Site", "same-origin")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "csrf_token=" + form(token.group(1)) + "&password=" + form(PASSWORD)
                        + "&email=" + form(email))));
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(URI.create(base + "/api/auth/login"))
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"email\": \"" + email + "\", \"password\": \"" + PASSWORD + "\"}")));
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(answer.body());
    }
    return cookies(answer);
  }

  private static String form(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * pages URL COOKIES ROUNDS SERVER NAME=PATH...: a table of times, and what took longest. SERVER is the
   * process id of the server, whose processor time is the mean of the rounds; it includes background work.
   */
  private static void pages(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[3]);
    ProcessHandle server = ProcessHandle.of(Long.parseLong(args[4])).orElseThrow();
    Map<String, String> pages = new LinkedHashMap<>();
    for (String page : Arrays.asList(args).subList(5, args.length)) {
      int equals = page.indexOf('=');
      pages.put(page.substring(0, equals), page.substring(equals + 1));
    }
    // This client's own first requests take a tenth of a second, which is not the service's time.
    for (int i = 0; i < 50; i++) {
      send(HttpRequest.newBuilder(URI.create(args[1] + "/healthz")));
    }
    System.out.printf(
        "%-42s %9s %9s %9s %9s %9s%n", "page", "first_ms", "p50_ms", "max_ms", "cpu_ms", "kB");
    double worst = 0;
    double worstFirst = 0;
    for (Map.Entry<String, String> page : pages.entrySet()) {
      double[] times = new double[rounds];
      double first = 0;
      int bytes = 0;
      long busy = 0;
      for (int i = -1; i < rounds; i++) {
        long start = System.nanoTime();
        HttpResponse<String> answer =
            send(
                HttpRequest.newBuilder(URI.create(args[1] + page.getValue()))
                    .header("Cookie", args[2]));
        double ms = (System.nanoTime() - start) / 1e6;
        if (answer.statusCode() != 200) {
          throw new IllegalStateException(
              page + ": " + answer.statusCode() + answer.headers().firstValue("Location"));
        }
        bytes = answer.body().length();
        if (i < 0) {
          first = ms;
          busy = busyMs(server);
        } else {
          times[i] = ms;
        }
      }
      Arrays.sort(times);
      worst = Math.max(worst, times[rounds - 1]);
      worstFirst = Math.max(worstFirst, Math.max(worst, first));
      System.out.printf(
          "%-42s %9.1f %9.1f %9.1f %9.1f %9.0f%n",
          page.getKey(),
          first,
          times[rounds / 2],
          times[rounds - 1],
          (double) (busyMs(server) - busy) / rounds,
          bytes / 1e3);
    }
    System.out.printf("longest: %.1f ms, of first looks too: %.1f ms%n", worst, worstFirst);
  }

  private static long busyMs(ProcessHandle server) {
    return server.info().totalCpuDuration().orElseThrow().toMillis();
  }

  /** Watches with so many browsers until the standard input ends; says what they were sent. */
  private static void watch(String base, String cookies, int viewers, String path)
      throws Exception {
    var bytes = new AtomicLong();
    var events = new AtomicLong();
    var ready = new CountDownLatch(viewers);
    var ended = new AtomicLong();
    for (int i = 0; i < viewers; i++) {
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  InputStream in =
                      CLIENT
                          .send(
                              HttpRequest.newBuilder(URI.create(base + path))
                                  .header("Cookie", cookies)
                                  .build(),
                              HttpResponse.BodyHandlers.ofInputStream())
                          .body();
                  ready.countDown();
                  byte[] buffer = new byte[1 << 16];
                  for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    bytes.addAndGet(read);
                    events.incrementAndGet();
                  }
                } catch (Exception e) {
                  ready.countDown();
                }
                ended.incrementAndGet();
              });
    }
    ready.await();
    System.out.println("watching");
    System.out.flush();
    while (System.in.read() >= 0) {
      // Until whoever started this has seen enough.
    }
    System.out.printf(
        "%d viewers, %d ended early: %d reads, %.1f MB%n",
        viewers, ended.get(), events.get(), bytes.get() / 1e6);
    System.exit(0);
  }
}
