/* LD_PRELOAD shim: every flush takes 1 ms more, as on a disk that has no cache to hide behind. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int status = real(fd);
  struct timespec left = {0, 1000000};
  while (nanosleep(&left, &left) != 0) {
  }
  return status;
}

int fsync(int fd) { return slowly("fsync", fd); }

int fdatasync(int fd) { return slowly("fdatasync", fd); }
