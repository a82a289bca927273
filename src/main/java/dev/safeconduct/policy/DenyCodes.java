package dev.safeconduct.policy;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.problem.PolicyFault;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The reason codes a pack's rules may deny with: the catalogue's, and those the pack introduces
 * with a sentence under {@code deny_codes}. So a new code is a decision and a typo is a fault.
 */
public final class DenyCodes {
  static final Pattern FORM = Pattern.compile("oap\\.[a-z][a-z0-9_]{0,63}");
  private static final Set<String> CATALOGUE = read();

  private final Set<String> known = new TreeSet<>(CATALOGUE);

  DenyCodes(JsonObject document, Consumer<PolicyFault> faults) {
    document
        .object("deny_codes")
        .ifPresent(own ->
            own.forEach((code, sentence) -> {
              if (!FORM.matcher(code).matches()) {
                faults.accept(
                    PolicyFault.at(
                        "deny_codes", "\"" + code + "\" must look like oap.some_reason"));
              }
              known.add(code);
            }));
  }

  /** Whether it is a code of the catalogue, or the one of every allow. */
  public static boolean isCommon(String code) {
    return code.equals("oap.allowed") || CATALOGUE.contains(code);
  }

  /** The codes of the catalogue. */
  static Set<String> catalogue() {
    return Collections.unmodifiableSet(CATALOGUE);
  }

  /** What is wrong with a rule's code, if anything is. */
  void check(String field, String rule, String code, Consumer<PolicyFault> faults) {
    if (known.contains(code)) {
      return;
    }
    PolicyFault fault =
        PolicyFault.at(
                field,
                "the deny code "
                    + code
                    + " is not known; use one of the catalogue or add it to deny_codes with a"
                    + " sentence")
            .of(rule);
    faults.accept(Spelling.nearest(code, known).map(fault::suggesting).orElse(fault));
  }

  private static Set<String> read() {
    try (var lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(DenyCodes.class.getResourceAsStream("/deny-codes.txt")),
                StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> !line.startsWith("#"))
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
