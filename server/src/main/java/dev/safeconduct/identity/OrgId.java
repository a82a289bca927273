package dev.safeconduct.identity;

/** An organization's id: {@code org_} and 32 hex digits if made here; at most 128 characters. */
public record OrgId(String value) {
  public OrgId {
    if (value.isEmpty() || value.length() > 128) {
      throw new IllegalArgumentException("an organization id has 1 to 128 characters");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
