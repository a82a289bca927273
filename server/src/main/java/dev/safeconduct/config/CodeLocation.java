package dev.safeconduct.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Where this program's classes are: its jar, or a folder when it is not packaged.
 *
 * <p>The code source of a class would not do: for a class out of an archive of classes (CDS), JDK
 * 25 answers with the jar's path at the time of the dump, or null when that path is gone.
 */
public final class CodeLocation {
  private CodeLocation() {}

  public static Path path() {
    String name = CodeLocation.class.getName().replace('.', '/') + ".class";
    URL own = Objects.requireNonNull(CodeLocation.class.getResource("/" + name));
    try {
      if (own.openConnection() instanceof JarURLConnection jar) {
        return Path.of(jar.getJarFileURL().toURI());
      }
      String text = own.toString();
      return Path.of(new URI(text.substring(0, text.length() - name.length())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
