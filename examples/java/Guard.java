// Runs a command only if the service allows it.
import dev.safeconduct.client.ActionDeniedException;
import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.client.contexts.SystemCommandExecuteV1;

public class Guard {
  public static void main(String[] args) throws Exception {
    // SAFECONDUCT_URL, SAFECONDUCT_API_KEY, SAFECONDUCT_AGENT_ID
    try (Safeconduct sc = Safeconduct.builder().build()) {
      run(sc, "echo hello");
      run(sc, "reboot");
    }
  }

  static void run(Safeconduct sc, String command) throws Exception {
    var action = SystemCommandExecuteV1.builder().command(command).build().action(null);
    try {
      String output = sc.guard(action, () -> new String(
          new ProcessBuilder(command.split(" ")).start().getInputStream().readAllBytes()));
      System.out.println("allowed: " + output.strip());
    } catch (ActionDeniedException denied) {
      System.out.println("denied: " + denied.code());
    }
  }
}
