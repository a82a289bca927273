// A web application that agents call: it asks whether the agent may, before it answers.
import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.servlet.SafeconductFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.*;
import java.net.*;
import java.net.http.*;
import java.util.*;
import org.eclipse.jetty.ee11.servlet.*;
import org.eclipse.jetty.server.*;

public class ServletFilter extends HttpServlet {
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws java.io.IOException {
    response.getWriter().print("report " + request.getParameter("name"));
  }
  public static void main(String[] args) throws Exception {
    var filter = new SafeconductFilter(Safeconduct.builder().build(), "data.file.read.v1",
        request -> Map.of("file_path", "/reports/" + request.getParameter("name")));
    var application = new ServletContextHandler();
    application.addServlet(new ServletHolder(new ServletFilter()), "/*");
    application.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
    var server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    server.setHandler(application);
    server.start();
    for (String name : List.of("october", "../etc/passwd")) System.out.println((name.equals("october") ? "allowed: " : "denied: ")
          + HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(server.getURI() + "?name=" + name))
              .header("X-Agent-Passport-Id", System.getenv("SAFECONDUCT_AGENT_ID")).build(), HttpResponse.BodyHandlers.ofString()).body());
    server.stop(); } }
