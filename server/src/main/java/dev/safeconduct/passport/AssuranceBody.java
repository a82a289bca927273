package dev.safeconduct.passport;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.Members;
import java.util.Optional;

/** Reads an assurance level from a request. */
final class AssuranceBody {
  private AssuranceBody() {}

  static Optional<AssuranceLevel> level(Members body) {
    return body.text("assurance_level")
        .map(text ->
            AssuranceLevel.parse(text)
                .orElseThrow(() ->
                    body.fault(
                        "assurance_level",
                        "assurance_level must be one of L0, L1, L2, L3, L4KYC, L4FIN.")));
  }
}
