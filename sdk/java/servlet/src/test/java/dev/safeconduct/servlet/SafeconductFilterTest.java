package dev.safeconduct.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.client.EchoService;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SafeconductFilterTest {
  private static final String AGENT = "X-Agent-Passport-Id";
  private static final String TOKEN = "Safeconduct-Token";

  private EchoService service;
  private Server server;
  private int served;

  @BeforeEach
  void start() throws Exception {
    service = new EchoService();
    var filter =
        new SafeconductFilter(
            service.client(),
            "system.command.execute.v1",
            request -> Map.of("command", Objects.requireNonNull(request.getParameter("command"))));
    var context = new ServletContextHandler();
    context.addServlet(new ServletHolder(new Agents()), "/*");
    var requests = EnumSet.of(DispatcherType.REQUEST);
    context.addFilter(new FilterHolder(filter), "/open", requests);
    context.addFilter(new FilterHolder(filter.requireToken(null, null)), "/token", requests);
    context.addFilter(
        new FilterHolder(filter.requireToken("https://other.example", null)), "/other", requests);
    server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    server.setHandler(context);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
    service.close();
  }

  private final class Agents extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      served++;
      var agent =
          (SafeconductFilter.VerifiedAgent) request.getAttribute(SafeconductFilter.ATTRIBUTE);
      response.getWriter().write(agent.agentId());
    }
  }

  private HttpResponse<String> get(String target, String... headers)
      throws IOException, InterruptedException {
    int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private void refuses(int status, String code, HttpResponse<String> response) {
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body()).contains("\"code\":\"" + code + "\"");
    assertThat(served).isZero();
  }

  @Test
  void anAllowedAgentIsServed() throws Exception {
    HttpResponse<String> response = get("/open?command=echo", AGENT, EchoService.agent());
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo(EchoService.agent());
  }

  @Test
  void othersAreRefused() throws Exception {
    refuses(401, "client.agent_missing", get("/open?command=echo"));
    refuses(401, "client.agent_missing", get("/open?command=echo", AGENT, " "));
    refuses(
        400,
        "client.header_repeated",
        get("/open?command=echo", AGENT, EchoService.agent(), AGENT, "ap_2"));
    refuses(
        403, "oap.command_not_allowed", get("/open?command=reboot", AGENT, EchoService.agent()));
    refuses(503, "client.unavailable", get("/open", AGENT, EchoService.agent()));
    assertThat(service.asked()).containsExactly("reboot");
  }

  @Test
  void tokensAllowTheirRequest() throws Exception {
    String token = service.token("echo");
    for (String path : new String[] {"/open", "/token"}) {
      HttpResponse<String> response = get(path + "?command=echo", TOKEN, token);
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body()).isEqualTo(EchoService.agent());
    }
    assertThat(service.asked()).isEmpty();
  }

  @Test
  void otherTokensAreRefused() throws Exception {
    String token = service.token("echo");
    refuses(401, "client.token_missing", get("/token?command=echo", AGENT, EchoService.agent()));
    refuses(403, "client.token_not_valid", get("/token?command=reboot", TOKEN, token));
    refuses(403, "client.token_not_valid", get("/other?command=echo", TOKEN, token));
    refuses(403, "client.token_not_valid", get("/token?command=echo", TOKEN, token, AGENT, "ap_2"));
    refuses(403, "client.token_not_valid", get("/token?command=echo", TOKEN, token + "A"));
    refuses(403, "client.token_not_valid", get("/open?command=echo", TOKEN, ""));
  }

  @Test
  void anOutageRefuses() throws Exception {
    service.close();
    HttpResponse<String> refused = get("/open?command=echo", AGENT, EchoService.agent());
    refuses(503, "client.unavailable", refused);
    assertThat(refused.body()).contains("Check the agent id").doesNotContain("127.0.0.1");
    refuses(503, "client.unavailable", get("/token?command=echo", TOKEN, "a.b.c"));
  }
}
