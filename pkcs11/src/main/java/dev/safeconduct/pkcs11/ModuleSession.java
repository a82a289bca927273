package dev.safeconduct.pkcs11;

import dev.safeconduct.signing.ModuleFault;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** A session with the module, and the keys it has found; for one thread at a time. */
final class ModuleSession {
  private final Cryptoki cryptoki;
  private final long handle;

  /** Handles of private keys by {@code CKA_ID} in hexadecimal. */
  private final Map<String, Long> keys = new HashMap<>();

  ModuleSession(Cryptoki cryptoki, long handle) {
    this.cryptoki = cryptoki;
    this.handle = handle;
  }

  long login(byte[] pin) {
    return cryptoki.login(handle, pin);
  }

  List<Long> find(long kind, byte[] id) throws ModuleFault {
    return cryptoki.find(
        handle, List.of(Attribute.of(Attribute.CLASS, kind), new Attribute(Attribute.ID, id)));
  }

  byte[] attribute(long object, long type) throws ModuleFault {
    return cryptoki.attribute(handle, object, type);
  }

  long generateKeyPair(List<Attribute> publicKey, List<Attribute> privateKey) throws ModuleFault {
    return cryptoki.generateKeyPair(handle, publicKey, privateKey);
  }

  byte[] sign(byte[] id, byte[] message) throws ModuleFault {
    String name = HexFormat.of().formatHex(id);
    Long key = keys.get(name);
    if (key == null) {
      List<Long> found = find(Attribute.PRIVATE_KEY, id);
      if (found.size() != 1) {
        throw new ModuleFault("it has " + found.size() + " keys of the id " + name + ", not one");
      }
      key = found.getFirst();
      keys.put(name, key);
    }
    return cryptoki.sign(handle, key, message);
  }

  void destroy(long kind, byte[] id) throws ModuleFault {
    for (long object : find(kind, id)) {
      cryptoki.destroy(handle, object);
    }
  }

  /** Ends it; one that is broken may have ended already. */
  void close() {
    try {
      cryptoki.closeSession(handle);
    } catch (ModuleFault _) {
      // Nobody uses it any more, and the module frees it with the process at the latest.
    }
  }
}
