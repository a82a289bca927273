package dev.safeconduct.simulate;

import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes results in the XML that continuous integration reads: a test suite for each pack. */
public final class JunitReport {
  private JunitReport() {}

  /**
   * The cases of one pack.
   *
   * @param seconds how long they took together
   */
  public record Suite(String pack, List<CaseRun> runs, double seconds) {
    public Suite {
      runs = List.copyOf(runs);
    }

    long failures() {
      return runs.stream().filter(run -> !run.passed()).count();
    }
  }

  public static void write(List<Suite> suites, OutputStream out) throws XMLStreamException {
    XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(out, "UTF-8");
    xml.writeStartDocument("UTF-8", "1.0");
    xml.writeStartElement("testsuites");
    xml.writeAttribute("name", "safeconduct policies test");
    xml.writeAttribute("tests", sum(suites.stream().mapToLong(suite -> suite.runs().size()).sum()));
    xml.writeAttribute("failures", sum(suites.stream().mapToLong(Suite::failures).sum()));
    for (Suite suite : suites) {
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", legal(suite.pack()));
      xml.writeAttribute("tests", sum(suite.runs().size()));
      xml.writeAttribute("failures", sum(suite.failures()));
      xml.writeAttribute("errors", "0");
      xml.writeAttribute("skipped", "0");
      xml.writeAttribute("time", String.format(Locale.ROOT, "%.3f", suite.seconds()));
      for (CaseRun run : suite.runs()) {
        write(suite, run, xml);
      }
      xml.writeEndElement();
    }
    xml.writeEndElement();
    xml.writeEndDocument();
    xml.close();
  }

  private static void write(Suite suite, CaseRun run, XMLStreamWriter xml)
      throws XMLStreamException {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", legal(suite.pack()));
    xml.writeAttribute("name", legal(run.said().name()));
    for (int i = 0; i < run.steps().size(); i++) {
      for (String fault : run.steps().get(i).faults()) {
        xml.writeStartElement("failure");
        xml.writeAttribute("message", legal("step " + (i + 1) + ": " + fault));
        xml.writeCharacters(legal(TraceText.of(run.steps().get(i).outcome())));
        xml.writeEndElement();
      }
    }
    xml.writeEndElement();
  }

  private static String sum(long number) {
    return Long.toString(number);
  }

  /** The text without characters that XML 1.0 cannot hold (section 2.2). */
  private static String legal(String text) {
    var legal = new StringBuilder();
    text.codePoints()
        .forEach(c -> {
          boolean fits =
              c == '\t'
                  || c == '\n'
                  || c == '\r'
                  || (c >= 0x20 && c <= 0xd7ff)
                  || (c >= 0xe000 && c <= 0xfffd)
                  || c >= 0x10000;
          legal.appendCodePoint(fits ? c : 0xfffd);
        });
    return legal.toString();
  }
}
