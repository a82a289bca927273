import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs Helm on the chart: {@code Charts CHART CASES REFUSED OUT SET...} lints it, renders it with
 * each values file of CASES and with the {@code --set} arguments SET into OUT, and expects each of
 * REFUSED to be refused with the text of its first line.
 */
final class Charts {
  private Charts() {}

  public static void main(String[] args) throws IOException {
    Path chart = Path.of(args[0]);
    Path out = Path.of(args[3]);
    System.out.println("Helm " + Helm.version().call());
    int faults = lint(chart);
    for (Path values : files(Path.of(args[1]))) {
      Files.writeString(
          out.resolve(values.getFileName()), render(chart, values).replace("\r\n", "\n"));
    }
    var installed = template(chart);
    for (String value : List.of(args).subList(4, args.length)) {
      String[] pair = value.split("=", 2);
      installed.set(pair[0], pair[1]);
    }
    Files.writeString(out.resolve("installed.yaml"), installed.call().replace("\r\n", "\n"));
    for (Path values : files(Path.of(args[2]))) {
      faults += refused(chart, values) ? 0 : 1;
    }
    System.exit(faults == 0 ? 0 : 1);
  }

  private static int lint(Path chart) {
    LintResult result = new Helm(chart).lint().call();
    result.getMessages().forEach(message -> System.out.println("lint: " + message));
    return result.isFailed() ? 1 : 0;
  }

  private static String render(Path chart, Path values) {
    return template(chart).withValuesFile(values).call();
  }

  private static TemplateCommand template(Path chart) {
    return new Helm(chart)
        .template()
        .withName("safeconduct")
        .withNamespace("safeconduct")
        .withKubeVersion("1.31.0");
  }

  private static boolean refused(Path chart, Path values) throws IOException {
    String expected = Files.readAllLines(values).getFirst().replaceFirst("^# ", "");
    String message;
    try {
      render(chart, values);
      message = "(it was rendered)";
    } catch (RuntimeException e) {
      message = String.valueOf(e.getMessage());
    }
    boolean right = message.contains(expected);
    System.out.println(
        (right ? "refused: " : "NOT refused as expected: ") + values.getFileName());
    if (!right) {
      System.out.println("  expected: " + expected + "\n  was: " + message);
    }
    return right;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }
}
