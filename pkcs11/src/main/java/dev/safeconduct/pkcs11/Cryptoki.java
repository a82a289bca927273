package dev.safeconduct.pkcs11;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.safeconduct.signing.ModuleFault;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A module's library: those functions of PKCS #11 (OASIS, version 3.1) that Ed25519 keys need.
 * {@code CK_ULONG} is eight bytes, as everywhere but on Windows.
 */
@SuppressWarnings("restricted") // native functions are the point
final class Cryptoki {
  private static final long SERIAL_AND_WRITABLE = 0x4 | 0x2;
  private static final long USER = 1;
  private static final long OS_LOCKING = 0x2;
  private static final long EC_EDWARDS_KEY_PAIR_GEN = 0x1055;
  private static final long EDDSA = 0x1057;

  /** {@code CK_MECHANISM}, {@code CK_ATTRIBUTE}: what it is, a pointer, a length. */
  private static final long TRIPLE = 24;

  private static final int MOST_FOUND = 16;
  private static final int MOST_VALUE = 1024;
  private static final int SIGNATURE = 64;

  /** With its place in {@code CK_FUNCTION_LIST} (section 3.6). */
  @SuppressWarnings("ImmutableEnumChecker") // a descriptor is immutable and not annotated so
  private enum Function {
    C_Initialize(0, ADDRESS),
    C_GetSlotList(4, JAVA_BYTE, ADDRESS, ADDRESS),
    C_OpenSession(12, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS),
    C_CloseSession(13, JAVA_LONG),
    C_Login(18, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
    C_DestroyObject(22, JAVA_LONG, JAVA_LONG),
    C_GetAttributeValue(24, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
    C_FindObjectsInit(26, JAVA_LONG, ADDRESS, JAVA_LONG),
    C_FindObjects(27, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS),
    C_FindObjectsFinal(28, JAVA_LONG),
    C_SignInit(42, JAVA_LONG, ADDRESS, JAVA_LONG),
    C_Sign(43, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS),
    C_GenerateKeyPair(
        59, JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);

    private final int place;
    private final FunctionDescriptor shape;

    Function(int place, MemoryLayout... arguments) {
      this.place = place;
      this.shape = FunctionDescriptor.of(JAVA_LONG, arguments);
    }
  }

  private interface Call {
    long on(MethodHandle function) throws Throwable;
  }

  private final Map<Function, MethodHandle> functions = new EnumMap<>(Function.class);

  private Cryptoki(MemorySegment functionList) {
    for (Function each : Function.values()) {
      // After two bytes of version and six of padding.
      MemorySegment code = functionList.get(ADDRESS, (1L + each.place) * ADDRESS.byteSize());
      functions.put(each, Linker.nativeLinker().downcallHandle(code, each.shape));
    }
  }

  /** Loads the library and initializes it, unless this process has done so already. */
  static Cryptoki load(Path library) throws ModuleFault {
    MemoryLayout unsignedLong = Linker.nativeLinker().canonicalLayouts().get("long");
    if (unsignedLong == null || unsignedLong.byteSize() != Long.BYTES) {
      throw new ModuleFault("Keys in a security module need a system whose longs have 64 bits.");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment listOfFunctions =
          SymbolLookup.libraryLookup(library, Arena.global())
              .find("C_GetFunctionList")
              .orElseThrow(() -> new IllegalArgumentException("it is no PKCS #11 module"));
      MemorySegment out = arena.allocate(ADDRESS);
      MethodHandle get =
          Linker.nativeLinker()
              .downcallHandle(listOfFunctions, FunctionDescriptor.of(JAVA_LONG, ADDRESS));
      check("C_GetFunctionList", run(get, function -> (long) function.invokeExact(out)));
      var cryptoki = new Cryptoki(out.get(ADDRESS, 0).reinterpret(69 * ADDRESS.byteSize()));
      cryptoki.initialize(arena);
      return cryptoki;
    } catch (IllegalArgumentException e) {
      throw new ModuleFault(library + " cannot be loaded: " + e.getMessage(), e);
    }
  }

  private void initialize(Arena arena) throws ModuleFault {
    // CK_C_INITIALIZE_ARGS: four functions for locking, flags, reserved. Many threads will call.
    MemorySegment arguments = arena.allocate(6 * JAVA_LONG.byteSize(), JAVA_LONG.byteSize());
    arguments.setAtIndex(JAVA_LONG, 4, OS_LOCKING);
    long code = run(Function.C_Initialize, function -> (long) function.invokeExact(arguments));
    if (code != ReturnCode.CRYPTOKI_ALREADY_INITIALIZED) {
      check(Function.C_Initialize.name(), code);
    }
  }

  /** The ids of all slots, in the library's order. */
  List<Long> slots() throws ModuleFault {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_LONG);
      MemorySegment none = MemorySegment.NULL;
      call(Function.C_GetSlotList, f -> (long) f.invokeExact((byte) 0, none, count));
      MemorySegment ids = arena.allocate(JAVA_LONG, count.get(JAVA_LONG, 0));
      call(Function.C_GetSlotList, f -> (long) f.invokeExact((byte) 0, ids, count));
      return longs(ids, count);
    }
  }

  long openSession(long slot) throws ModuleFault {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment session = arena.allocate(JAVA_LONG);
      MemorySegment none = MemorySegment.NULL;
      call(
          Function.C_OpenSession,
          f -> (long) f.invokeExact(slot, SERIAL_AND_WRITABLE, none, none, session));
      return session.get(JAVA_LONG, 0);
    }
  }

  void closeSession(long session) throws ModuleFault {
    call(Function.C_CloseSession, f -> (long) f.invokeExact(session));
  }

  /** Logs this process in, for all its sessions; the code says whether that went well. */
  long login(long session, byte[] pin) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(JAVA_BYTE, pin);
      long code =
          run(Function.C_Login, f -> (long) f.invokeExact(session, USER, text, (long) pin.length));
      text.fill((byte) 0);
      return code;
    }
  }

  /** Handles of the objects that have these attributes; no more than sixteen. */
  List<Long> find(long session, List<Attribute> template) throws ModuleFault {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment wanted = template(arena, template);
      long attributes = template.size();
      call(Function.C_FindObjectsInit, f -> (long) f.invokeExact(session, wanted, attributes));
      MemorySegment found = arena.allocate(JAVA_LONG, MOST_FOUND);
      MemorySegment count = arena.allocate(JAVA_LONG);
      call(
          Function.C_FindObjects,
          f -> (long) f.invokeExact(session, found, (long) MOST_FOUND, count));
      call(Function.C_FindObjectsFinal, f -> (long) f.invokeExact(session));
      return longs(found, count);
    }
  }

  byte[] attribute(long session, long object, long type) throws ModuleFault {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attribute = template(arena, List.of(new Attribute(type, new byte[MOST_VALUE])));
      call(Function.C_GetAttributeValue, f -> (long) f.invokeExact(session, object, attribute, 1L));
      return attribute.get(ADDRESS, 8).reinterpret(attribute.get(JAVA_LONG, 16)).toArray(JAVA_BYTE);
    }
  }

  /** Makes an Ed25519 pair and answers the public key's handle. */
  long generateKeyPair(long session, List<Attribute> publicKey, List<Attribute> privateKey)
      throws ModuleFault {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mechanism = mechanism(arena, EC_EDWARDS_KEY_PAIR_GEN);
      MemorySegment ofPublic = template(arena, publicKey);
      MemorySegment ofPrivate = template(arena, privateKey);
      MemorySegment handles = arena.allocate(JAVA_LONG, 2);
      MemorySegment second = handles.asSlice(JAVA_LONG.byteSize());
      long publicCount = publicKey.size();
      long privateCount = privateKey.size();
      call(
          Function.C_GenerateKeyPair,
          f ->
              (long)
                  f.invokeExact(
                      session,
                      mechanism,
                      ofPublic,
                      publicCount,
                      ofPrivate,
                      privateCount,
                      handles,
                      second));
      return handles.get(JAVA_LONG, 0);
    }
  }

  /** The signature of pure Ed25519 (RFC 8032), which is {@code CKM_EDDSA} without parameters. */
  byte[] sign(long session, long key, byte[] message) throws ModuleFault {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mechanism = mechanism(arena, EDDSA);
      call(Function.C_SignInit, f -> (long) f.invokeExact(session, mechanism, key));
      MemorySegment data = arena.allocateFrom(JAVA_BYTE, message);
      MemorySegment signature = arena.allocate(SIGNATURE);
      MemorySegment length = arena.allocateFrom(JAVA_LONG, SIGNATURE);
      long size = message.length;
      call(Function.C_Sign, f -> (long) f.invokeExact(session, data, size, signature, length));
      if (length.get(JAVA_LONG, 0) != SIGNATURE) {
        throw new ModuleFault("C_Sign made no Ed25519 signature");
      }
      return signature.toArray(JAVA_BYTE);
    }
  }

  void destroy(long session, long object) throws ModuleFault {
    call(Function.C_DestroyObject, f -> (long) f.invokeExact(session, object));
  }

  private static MemorySegment mechanism(Arena arena, long type) {
    MemorySegment mechanism = arena.allocate(TRIPLE, JAVA_LONG.byteSize());
    mechanism.set(JAVA_LONG, 0, type);
    return mechanism;
  }

  private static MemorySegment template(Arena arena, List<Attribute> attributes) {
    MemorySegment template = arena.allocate(TRIPLE * attributes.size(), JAVA_LONG.byteSize());
    long at = 0;
    for (Attribute each : attributes) {
      template.set(JAVA_LONG, at, each.type());
      template.set(ADDRESS, at + 8, arena.allocateFrom(JAVA_BYTE, each.value()));
      template.set(JAVA_LONG, at + 16, each.value().length);
      at += TRIPLE;
    }
    return template;
  }

  private static List<Long> longs(MemorySegment values, MemorySegment count) {
    var list = new ArrayList<Long>();
    for (long i = 0; i < count.get(JAVA_LONG, 0); i++) {
      list.add(values.getAtIndex(JAVA_LONG, i));
    }
    return list;
  }

  private void call(Function function, Call call) throws ModuleFault {
    check(function.name(), run(function, call));
  }

  private long run(Function function, Call call) {
    MethodHandle handle = functions.get(function);
    if (handle == null) {
      throw new IllegalStateException(function.name());
    }
    return run(handle, call);
  }

  private static long run(MethodHandle function, Call call) {
    try {
      return call.on(function);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("native functions throw nothing", e);
    }
  }

  private static void check(String function, long code) throws ModuleFault {
    if (code != ReturnCode.OK) {
      throw new ModuleFault(function + " answered " + ReturnCode.name(code));
    }
  }
}
