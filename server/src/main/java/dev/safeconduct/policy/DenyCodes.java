package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Spelling;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The reason codes that a pack's rules may deny with: the catalogue's, and those the pack defines
 * under {@code deny_codes} with a sentence. A new code is therefore intended, and a typo is a
 * fault.
 */
public final class DenyCodes {
  public static final Pattern FORM = Pattern.compile("oap\\.[a-z][a-z0-9_]{0,63}");

  private final Set<String> known;

  public DenyCodes(Set<String> catalogue, JsonObject document, Consumer<PolicyFault> faults) {
    this.known = new TreeSet<>(catalogue);
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

  /** Reports the fault of a rule's code, if it has one. */
  public void check(String field, String rule, String code, Consumer<PolicyFault> faults) {
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
    faults.accept(Spelling.suggest(fault, code, known));
  }
}
